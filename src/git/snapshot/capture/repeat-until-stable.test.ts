import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oneInSix, thoroughTest } from '../../../../test/helpers/flavours.js';
import {
  addWorktree,
  captureRequest,
  listFiles,
  placeOf,
  REF,
  restoreElsewhere,
} from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { runProcess } from '../../../exec/run-process.js';
import { ensureBareStore } from '../../objects/bare-store.js';
import { listRefs } from '../../refs/refs.js';
import { captureWorkTree } from './capture.js';
import { captureDirectory, restoreDirectory } from './directory-snapshot.js';

/** Files of every kind; the ignored one makes a capture pause at `onKept`, when it has read the others. */
function makeWorkTree() {
  const repository = makeRepository({ 'one.txt': 'one\n', '.gitignore': '*.log\n' });
  const workTree = addWorktree(repository);
  writeFiles(workTree, { 'two.txt': 'two\n', 'three.log': 'ignored\n' });
  const keptDir = join(repository, '../kept');
  return { repository, workTree, place: placeOf(workTree), keptDir };
}

const edits: Record<string, (workTree: string) => void> = {
  'an untracked file': path => writeFileSync(join(path, 'two.txt'), 'TWO\n'),
  'an untracked file of the same size and time': path => {
    const time = new Date('2026-01-01');
    writeFileSync(join(path, 'two.txt'), 'TWO\n');
    utimesSync(join(path, 'two.txt'), time, time);
  },
  'a tracked file': path => writeFileSync(join(path, 'one.txt'), 'ONE\n'),
  'an ignored file': path => writeFileSync(join(path, 'three.log'), 'IGNORED\n'),
  'a new file': path => writeFiles(path, { 'new/deep.txt': 'new\n' }),
  'a file that is deleted': path => rmSync(join(path, 'two.txt')),
};

describe('a work tree that changes while it is captured', () => {
  it.each(oneInSix(Object.entries(edits)))('once is captured as it is afterwards: %s', async (_, edit) => {
    const { repository, workTree, place, keptDir } = makeWorkTree();
    let times = 0;
    const onKept = () => {
      if (times++ === 0) edit(workTree);
    };
    const captured = await captureWorkTree(testGit(), place, captureRequest({ keptDir, onKept }));
    expect(times).toBe(2);
    expect(captured.changing).toBeUndefined();
    const { restored } = await restoreElsewhere(repository, captured.commit);
    expect(listFiles(restored)).toEqual(listFiles(workTree));
    expect(await listRefs(testGit(), { gitDir: join(keptDir, 'sha1.git') }, [REF])).toMatchObject([
      { commit: captured.kept },
    ]);
  });

  it('all the time is captured three times, and the snapshot reports what kept changing', async () => {
    const { workTree, place, keptDir } = makeWorkTree();
    let times = 0;
    const onKept = () => writeFileSync(join(workTree, 'two.txt'), `${++times}\n`);
    const captured = await captureWorkTree(testGit(), place, captureRequest({ keptDir, onKept }));
    expect(times).toBe(3);
    expect(captured.changing).toEqual(['two.txt']);
  });

  thoroughTest('because it is deleted is not captured', async () => {
    const { workTree, place, keptDir } = makeWorkTree();
    const onKept = () => rmSync(workTree, { recursive: true });
    const capturing = captureWorkTree(testGit(), place, captureRequest({ keptDir, onKept }));
    await expect(capturing).rejects.toMatchObject({ code: 'SNAPSHOT_FILES_GONE', details: { files: 4 } });
    expect(await listRefs(testGit(), { gitDir: place.commonDir }, [REF])).toEqual([]);
    expect(await listRefs(testGit(), { gitDir: join(keptDir, 'sha1.git') }, [])).toEqual([]);
  });

  thoroughTest('in a nested repository is captured as it is afterwards', async () => {
    const { repository, workTree, place, keptDir } = makeWorkTree();
    makeRepository({ 'inner.txt': 'inner\n' }, join(workTree, 'nested'));
    let times = 0;
    const onKept = () => {
      if (times++ === 0) writeFiles(workTree, { 'nested/new.txt': 'new\n' });
    };
    const captured = await captureWorkTree(testGit(), place, captureRequest({ keptDir, onKept }));
    expect(captured.changing).toBeUndefined();
    const { restored } = await restoreElsewhere(repository, captured.commit);
    expect(listFiles(restored)).toEqual(listFiles(workTree));
  });
});

describe('a plain directory that changes while it is captured', () => {
  async function capture(edit: (directory: string, times: number) => void) {
    const objectStore = join(tempDir(), 'vault.git');
    const directory = join(tempDir(), 'plain');
    writeFiles(directory, { 'one.txt': 'one\n', 'two.txt': 'two\n' });
    await ensureBareStore(testGit(), objectStore);
    let times = 0;
    // The files are stored by then.
    const git = testGit(async request => {
      if (request.args.includes('commit-tree')) edit(directory, ++times);
      return runProcess(request);
    });
    const request = { ref: REF, message: null, now: new Date(), temporaryRoot: tempDir() };
    const captured = await captureDirectory(git, { objectStore, directory }, request);
    return { captured, directory, objectStore };
  }

  it('once is captured as it is afterwards', async () => {
    const { captured, directory, objectStore } = await capture((path, times) => {
      if (times === 1) writeFiles(path, { 'one.txt': 'ONE\n', 'new.txt': 'new\n' });
    });
    expect(captured.changing).toBeUndefined();
    const restored = join(tempDir(), 'restored');
    const { commit } = captured;
    await restoreDirectory(
      testGit(),
      { objectStore, directory: restored },
      { commit, temporaryRoot: tempDir() },
    );
    expect(listFiles(restored)).toEqual(listFiles(directory));
  });

  it('all the time is captured, and the snapshot reports it', async () => {
    const { captured } = await capture((path, times) => writeFiles(path, { 'two.txt': `${times}\n` }));
    expect(captured.changing).toEqual(['two.txt']);
  });

  it('because it is deleted is not captured', async () => {
    const capturing = capture(path => rmSync(path, { recursive: true }));
    await expect(capturing).rejects.toMatchObject({ code: 'SNAPSHOT_FILES_GONE' });
  });
});
