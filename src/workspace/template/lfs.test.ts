import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitEnv, makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { createGit, type Git } from '../../git/git.js';
import { checkLfs } from './lfs.js';

const ATTRIBUTES = { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' };

/** git on a machine where `git-lfs` is the given script. */
function gitWithLfs(script: string): Git {
  const bin = tempDir();
  writeFileSync(join(bin, 'git-lfs'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, 'git-lfs'), 0o755);
  const env = gitEnvironment({ ...gitEnv(), PATH: `${bin}:${process.env.PATH}` });
  return createGit({ run: runProcess, env });
}

test('a repository that does not use LFS starts no process', async () => {
  const refuse = () => Promise.reject(new Error('called'));
  const never: Git = { run: refuse, text: refuse, records: refuse, succeeds: refuse };
  const plain = makeRepository({ '.gitattributes': '*.txt text\n# see filter-lfs\n' });
  expect(await checkLfs(never, plain)).toEqual({ config: [], warnings: [] });
  expect(await checkLfs(never, makeRepository())).toEqual({ config: [], warnings: [] });
});

test('with git-lfs there is nothing to change', async () => {
  const git = gitWithLfs('test "$1" = version && echo git-lfs/3.4.0');
  expect(await checkLfs(git, makeRepository(ATTRIBUTES))).toEqual({ config: [], warnings: [] });
});

test('without git-lfs pointers are checked out as they are, and a warning says so', async () => {
  const git = gitWithLfs('exit 1');
  const { config, warnings } = await checkLfs(git, makeRepository(ATTRIBUTES));
  expect(config).toEqual(['filter.lfs.required=false', 'filter.lfs.smudge=', 'filter.lfs.process=']);
  expect(warnings).toEqual([expect.stringContaining('git-lfs is not installed')]);
});

test('a checkout with that configuration works in a repository that requires LFS', async () => {
  const repository = makeRepository({
    ...ATTRIBUTES,
    'a.bin': 'version https://git-lfs.github.com/spec/v1\n',
  });
  const git = gitWithLfs('exit 1');
  const place = {
    gitDir: join(repository, '.git'),
    workTree: tempDir(),
    indexFile: join(tempDir(), 'index'),
  };
  const required = [
    'filter.lfs.required=true',
    'filter.lfs.smudge=git-lfs smudge -- %f',
    'filter.lfs.process=git-lfs filter-process',
  ];
  const checkOut = (config: string[]) => git.run(['reset', '--hard', '--quiet'], { ...place, config });
  await expect(checkOut(required)).rejects.toMatchObject({ code: 'GIT_FAILED' });
  await checkOut([...required, ...(await checkLfs(git, repository)).config]);
});
