import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import {
  captureRequest,
  expectSound,
  listFiles,
  restoreElsewhere,
} from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { writePrivateGit } from '../../repository/private-git.js';
import { borrowObjects } from '../import-objects.js';
import { captureWorkTree } from './capture.js';

/** Files with a private git directory, as in the pool. */
async function makeSlot(files: Record<string, string>) {
  const repository = makeRepository(files);
  const commonDir = join(repository, '.git');
  const directory = tempDir();
  const place = { commonDir, gitDir: join(directory, 'git'), workTree: join(directory, 'tree') };
  await writePrivateGit({ ...place, commit: git(repository, 'rev-parse', 'HEAD') });
  git(place.workTree, 'reset', '--hard', '--quiet');
  return { repository, place };
}

thoroughTest('in a work tree with only the differences, the rest counts as unchanged', async () => {
  const files = {
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'dir/c.txt': 'c\n',
    '.gitignore': '*.log\nnode_modules/\n',
  };
  const { repository, place } = await makeSlot(files);
  rmSync(place.workTree, { recursive: true });
  mkdirSync(place.workTree);
  writeFiles(place.workTree, {
    'a.txt': 'changed\n',
    'new.txt': 'new\n',
    'x.log': 'log\n',
    'node_modules/m.js': 'm',
  });
  const request = captureRequest({ removed: new Set(['b.txt']) });
  const captured = await captureWorkTree(testGit(), place, request);
  expect(captured).toMatchObject({ files: 4, omitted: [{ path: 'node_modules' }] });
  const { restored } = await restoreElsewhere(repository, captured.commit);
  expect(Object.keys(listFiles(restored))).toEqual(
    expect.arrayContaining(['.gitignore', 'a.txt', 'dir/c.txt', 'new.txt', 'x.log']),
  );
  expect(git(restored, 'status', '--porcelain', '--ignored')).toBe(
    ' M a.txt\n D b.txt\n?? new.txt\n!! x.log',
  );
});

test('commits, stashes and staged blobs of a private git directory are held by the repository', async () => {
  const { repository, place } = await makeSlot({ 'a.txt': 'a\n' });
  const { workTree } = place;
  for (const name of ['first', 'second']) {
    writeFiles(workTree, { 'a.txt': `${name}\n` });
    git(workTree, 'stash', '--quiet');
  }
  const stashes = git(workTree, 'log', '--walk-reflogs', '--format=%H', 'refs/stash').split('\n');
  writeFiles(workTree, { 'a.txt': 'committed\n' });
  git(workTree, 'commit', '--quiet', '--all', '-m', 'own');
  const commit = git(workTree, 'rev-parse', 'HEAD');
  writeFiles(workTree, { 'staged.txt': 'staged\n' });
  git(workTree, 'add', 'staged.txt');
  await borrowObjects(testGit(), place, tempDir());
  const captured = await captureWorkTree(testGit(), place, captureRequest());
  rmSync(place.gitDir, { recursive: true });
  expectSound(repository);
  git(repository, 'gc', '--quiet', '--prune=now');
  const { restored } = await restoreElsewhere(repository, captured.commit);
  expect(git(restored, 'rev-parse', 'HEAD')).toBe(commit);
  expect(git(restored, 'status', '--porcelain')).toBe('A  staged.txt');
  for (const stash of stashes) expect(git(repository, 'cat-file', '-t', stash)).toBe('commit');
});
