import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  addWorktree,
  expectSound,
  loseWorkTree,
  observe,
  placeOf,
  REF,
  restoreElsewhere,
} from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { findCleanFiles } from '../../work-tree/clean-files.js';
import { captureClean } from './clean-capture.js';
import {
  deferredCheckPlace,
  keepState,
  loadDeferredCheck,
  matchesSnapshot,
  saveDeferredCheck,
} from './late-check.js';

const FILES = { 'a.txt': 'a\n', 'dir/b c.txt': 'b\n', 'run.sh': '#!/bin/sh\n', '.gitignore': '.env\n' };
const INCLUDED = [{ path: '.env', sha256: createHash('sha256').update('SECRET\n').digest('hex') }];

async function capture(work: string) {
  const place = placeOf(work);
  const files = await findCleanFiles(place, { idLength: 40, included: INCLUDED });
  if (!files) throw new Error('the work tree is not clean');
  const commit = git(work, 'rev-parse', 'HEAD');
  const tree = git(work, 'rev-parse', 'HEAD^{tree}');
  const head = { ref: 'refs/heads/carrel/work', branch: 'carrel/work', commit };
  const request = { ref: REF, message: null, head, tree, files, commits: [commit], now: new Date() };
  return { place, head, tree, ...(await captureClean(testGit(), place, request)) };
}

test('a clean work tree is restored byte for byte from a snapshot taken without reading it', async () => {
  const repository = makeRepository(FILES);
  const work = addWorktree(repository);
  writeFiles(work, { '.env': 'SECRET\n' });
  chmodSync(join(work, '.env'), 0o600);
  const before = observe(work);
  const { commit, files } = await capture(work);
  expect(files).toBe(1);
  expectSound(repository);
  loseWorkTree(repository, work);
  const { restored } = await restoreElsewhere(repository, commit);
  expect(observe(restored)).toEqual(before);
});

describe('the check before the files are deleted', () => {
  /** As `down` leaves it: the files moved aside with their state, the registration gone. */
  async function setAside(files: Record<string, string> = FILES) {
    const repository = makeRepository(files);
    const work = addWorktree(repository);
    // As if time had passed: very recent files are compared by content.
    const later = Date.now() / 1000 + 5;
    utimesSync(join(placeOf(work).gitDir, 'index'), later, later);
    const { place, head, tree, modes } = await capture(work);
    const remains = tempDir();
    renameSync(work, join(remains, 'tree'));
    await keepState(place, remains);
    await saveDeferredCheck(remains, { head, tree, modes, included: INCLUDED });
    git(repository, 'worktree', 'prune');
    git(repository, 'update-ref', '-d', head.ref);
    const check = await loadDeferredCheck(remains);
    if (!check) throw new Error('nothing was kept');
    const ask = () => matchesSnapshot(testGit(), deferredCheckPlace(remains, place.commonDir), check);
    return { tree: join(remains, 'tree'), ask };
  }

  it('confirms the assumptions', async () => {
    const { ask } = await setAside();
    expect(await ask()).toBe(true);
  });

  it.each<[string, (tree: string) => void]>([
    ['a file', tree => writeFiles(tree, { 'late.txt': 'x\n' })],
    ['an ignored file', tree => writeFiles(tree, { '.env': 'OTHER\n' })],
    ['a change', tree => writeFiles(tree, { 'a.txt': 'b\n' })],
    ['permissions of a file', tree => chmodSync(join(tree, 'a.txt'), 0o600)],
    ['an empty directory', tree => mkdirSync(join(tree, 'empty'))],
  ])('detects %s added at the last moment', async (_, write) => {
    const { tree, ask } = await setAside();
    write(tree);
    expect(await ask()).toBe(false);
  });

  it.each([
    ['line endings', '* text eol=crlf\n'],
    ['a filter', '*.txt filter=strip\n'],
  ])('does not trust blobs where files are converted by %s', async (_, attributes) => {
    const { ask } = await setAside({ ...FILES, '.gitattributes': attributes });
    expect(await ask()).toBe(false);
  });
});
