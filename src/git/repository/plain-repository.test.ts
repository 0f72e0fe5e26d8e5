import { chownSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { findPlainRepository } from './plain-repository.js';

function askGit(directory: string) {
  const questions = ['--git-dir', '--git-common-dir', '--show-toplevel'];
  const [gitDir = '', commonDir = '', topLevel = ''] = git(
    directory,
    ...['rev-parse', '--path-format=absolute', ...questions],
  ).split('\n');
  const [, root] = /^worktree (.*)$/m.exec(git(directory, 'worktree', 'list', '--porcelain')) ?? [];
  return { gitDir: realpathSync(gitDir), commonDir: realpathSync(commonDir), topLevel, root };
}

test('finds what git finds, from any directory of a repository and of its worktrees', () => {
  const repository = realpathSync(makeRepository({ 'a/b/c.txt': 'c\n' }));
  const linked = join(realpathSync(tempDir()), 'linked');
  git(repository, 'worktree', 'add', '--quiet', linked);
  for (const place of [repository, join(repository, 'a/b'), linked, join(linked, 'a/b')])
    expect(findPlainRepository(place), place).toEqual(askGit(place));
});

/** Each makes something that the usual reading would get wrong; gives the directory to look from. */
const unusual: Record<string, (repository: string) => string> = {
  'the git directory itself': repository => join(repository, '.git'),
  'a directory in it': repository => join(repository, '.git/objects'),
  'a bare repository': repository => {
    const bare = join(tempDir(), 'bare.git');
    git(repository, 'clone', '--quiet', '--bare', repository, bare);
    return bare;
  },
  'a repository that is set to be bare': repository => {
    git(repository, 'config', 'core.bare', 'true');
    return repository;
  },
  'a bare setting without a value': repository => {
    writeFileSync(join(repository, '.git/config'), '[core]\n\trepositoryformatversion = 0\n\tbare\n');
    return repository;
  },
  'a work tree elsewhere': repository => {
    git(repository, 'config', 'core.worktree', tempDir());
    return repository;
  },
  'settings for each worktree': repository => {
    git(repository, 'config', 'extensions.worktreeConfig', 'true');
    return repository;
  },
  'a later form of repository': repository => {
    git(repository, 'config', 'core.repositoryFormatVersion', '1');
    return repository;
  },
  'a git directory elsewhere': repository => {
    const elsewhere = join(tempDir(), 'elsewhere');
    renameSync(join(repository, '.git'), elsewhere);
    writeFileSync(join(repository, '.git'), `gitdir: ${elsewhere}\n`);
    return repository;
  },
  'a link to a git directory': repository => {
    const elsewhere = join(tempDir(), 'elsewhere');
    renameSync(join(repository, '.git'), elsewhere);
    symlinkSync(elsewhere, join(repository, '.git'));
    return repository;
  },
  'an empty .git': repository => {
    mkdirSync(join(repository, 'sub/.git'), { recursive: true });
    return join(repository, 'sub');
  },
  'a .git that leads nowhere': repository => {
    mkdirSync(join(repository, 'sub'));
    writeFileSync(join(repository, 'sub/.git'), 'gitdir: nowhere\n');
    return join(repository, 'sub');
  },
  'no repository': () => tempDir(),
};

test.each(Object.entries(unusual))('%s is left to git', (_, bringAbout) => {
  expect(findPlainRepository(realpathSync(bringAbout(makeRepository())))).toBeUndefined();
});

test.runIf(process.geteuid?.() === 0)('what another user owns is left to git', () => {
  for (const part of ['', '.git']) {
    const repository = realpathSync(makeRepository());
    chownSync(join(repository, part), 65534, 65534);
    expect(findPlainRepository(repository), part).toBeUndefined();
  }
});
