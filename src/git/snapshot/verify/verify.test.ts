import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oneInSix } from '../../../../test/helpers/flavours.js';
import { addWorktree, captureRequest, placeOf, REF } from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { captureWorkTree } from '../capture/capture.js';
import { readSnapshotMeta } from '../snapshot-meta.js';
import { verifySnapshot } from './verify.js';

async function makeSnapshot() {
  const repository = makeRepository({ '.gitignore': '.env\n' });
  const work = addWorktree(repository);
  writeFiles(work, { 'new.txt': 'new\n', '.env': 'ignored\n' });
  const { commonDir: objectStore } = placeOf(work);
  const { commit } = await captureWorkTree(testGit(), placeOf(work), captureRequest());
  const remove = (revision: string) => {
    const id = git(repository, 'rev-parse', revision);
    rmSync(join(objectStore, 'objects', id.slice(0, 2), id.slice(2)));
  };
  return { repository, objectStore, commit, remove };
}

test('returns the commit of a complete snapshot', async () => {
  const { objectStore, commit } = await makeSnapshot();
  expect(await verifySnapshot(testGit(), { objectStore, ref: REF })).toBe(commit);
});

test('a snapshot without its ref does not count', async () => {
  const { repository, objectStore } = await makeSnapshot();
  git(repository, 'update-ref', '-d', REF);
  expect(await verifySnapshot(testGit(), { objectStore, ref: REF })).toBeUndefined();
});

const LOSSES = [
  ['an untracked file', ':new.txt'],
  ['an ignored file', '^3:ignored/.env'],
  ['the index', '^3:admin/index'],
  ['its description', '^3:meta.json'],
  ['a tree', '^3:ignored'],
  ['what was staged', '^2'],
  ['the rest', '^3'],
] as const;

test.each(oneInSix(LOSSES))('a snapshot that has lost %s does not count', async (_, revision) => {
  const { objectStore, commit, remove } = await makeSnapshot();
  remove(`${commit}${revision}`);
  expect(await verifySnapshot(testGit(), { objectStore, ref: REF })).toBeUndefined();
});

test('a commit that is not a snapshot, or has a newer format, is refused', async () => {
  const { repository, objectStore } = await makeSnapshot();
  const meta = (commit: string) => readSnapshotMeta(testGit(), objectStore, commit);
  await expect(meta(git(repository, 'rev-parse', 'main'))).rejects.toMatchObject({ code: 'SNAPSHOT_BROKEN' });
  await expect(meta('0'.repeat(40))).rejects.toMatchObject({ code: 'SNAPSHOT_BROKEN' });
  writeFiles(repository, { 'meta.json': '{"version":2}\n' });
  git(repository, 'add', 'meta.json');
  git(repository, 'commit', '--quiet', '-m', 'looks like extras');
  git(repository, 'commit', '--quiet', '--allow-empty', '-m', 'looks like a snapshot');
  await expect(meta(git(repository, 'rev-parse', 'HEAD'))).rejects.toMatchObject({
    code: 'SNAPSHOT_BROKEN',
    details: { problem: 'its format version is 2; expected 1' },
  });
});
