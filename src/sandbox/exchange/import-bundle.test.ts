import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { commitFiles, git, gitEnv, makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { runProcess } from '../../exec/run-process.js';
import { createGit } from '../../git/git.js';
import { type BundleRequest, importBundle } from './import-bundle.js';

/** A repository, and another machine's copy of it with a branch that `change` has committed to. */
function makeMachines(change: (copy: string) => void) {
  const repository = makeRepository();
  const base = git(repository, 'rev-parse', 'HEAD');
  const copy = join(tempDir(), 'copy');
  git(repository, 'clone', '-q', repository, copy);
  git(copy, 'checkout', '-qb', 'carrel/a');
  change(copy);
  const bundle = join(tempDir(), 'work.bundle');
  git(copy, 'bundle', 'create', '-q', bundle, 'refs/heads/carrel/a', `^${base}`);
  const commit = git(copy, 'rev-parse', 'HEAD');
  const commonDir = join(repository, '.git');
  const request: BundleRequest = {
    ...{ git: createGit({ run: runProcess, env: gitEnv() }), commonDir, bundle, base },
    ...{ id: 'task_0000000000000001', branch: 'carrel/a', commit },
  };
  return { repository, commonDir, commit, base, request };
}

const writeFile = (copy: string) => void commitFiles(copy, { 'new.txt': 'new\n' }, 'new');

test('the branch of a bundle is imported, and nothing else in the repository has changed', async () => {
  const { repository, commonDir, commit, request } = makeMachines(writeFile);
  const before = fingerprint(repository);
  expect(await importBundle(request)).toEqual({ outcome: 'imported' });
  expect(git(repository, 'rev-parse', 'carrel/a')).toBe(commit);
  expect(git(repository, 'fsck', '--strict')).toBe('');
  expect(fingerprint(repository)).toEqual(before);
  expect(existsSync(join(commonDir, 'carrel'))).toBe(false);
  expect(await importBundle(request)).toEqual({ outcome: 'unchanged' });
});

test('a branch that is checked out, or has other commits, is left as it is', async () => {
  const { repository, base, request } = makeMachines(writeFile);
  git(repository, 'checkout', '-qb', 'carrel/a');
  expect(await importBundle(request)).toEqual({ outcome: 'taken' });
  commitFiles(repository, { 'own.txt': 'own\n' }, 'own');
  const own = git(repository, 'rev-parse', 'HEAD');
  git(repository, 'checkout', '-q', base);
  expect(await importBundle(request)).toEqual({ outcome: 'taken' });
  expect(git(repository, 'rev-parse', 'carrel/a')).toBe(own);
  expect(await importBundle({ ...request, target: 'carrel/a-r2' })).toEqual({ outcome: 'imported' });
});

test('commits that the rules for content refuse, or that are not the promised ones, are not imported', async () => {
  const { repository, request } = makeMachines(copy => {
    symlinkSync('/etc/passwd', join(copy, 'link'));
    git(copy, 'add', '.');
    git(copy, 'commit', '-qm', 'link');
  });
  expect(await importBundle(request)).toMatchObject({ outcome: 'refused' });
  const other = makeMachines(writeFile);
  const { base: commit } = other;
  expect(await importBundle({ ...other.request, commit })).toMatchObject({ outcome: 'refused' });
  expect(git(repository, 'branch', '--list', 'carrel/*')).toBe('');
  expect(git(other.repository, 'branch', '--list', 'carrel/*')).toBe('');
});
