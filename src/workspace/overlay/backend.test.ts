import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { isThorough, thoroughTest } from '../../../test/helpers/flavours.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { overlayDir, requireOverlay, unmountBelow } from '../../../test/helpers/pool/overlay.js';
import { git as plainGit } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { backendContract } from '../backend-contract.js';
import { BASE_FILES, create, describeWorkspace } from '../contract/backend-subject.js';
import { type Files, writeTree } from '../contract/file-tree.js';
import { listMounts } from '../files/mounts.js';
import { createGitBackend } from '../git/backend.js';
import { findOverlayObstacle } from '../template/overlay-obstacle.js';
import { ensureTemplate } from '../template/template-tree.js';
import { createOverlayBackend } from './backend.js';

beforeEach(requireOverlay);

if (isThorough) backendContract('overlay', prepare);

async function prepare(files: Files) {
  const source = join(tempDir(), 'source');
  mkdirSync(source);
  plainGit(source, 'init', '--quiet', '--initial-branch=main');
  writeTree(source, files);
  plainGit(source, 'add', '--all');
  plainGit(source, 'commit', '--quiet', '-m', 'first');
  const git = testGit();
  const worktrees = createGitBackend({ git, temporaryRoot: tempDir(), keptDir: tempDir() });
  const backend = createOverlayBackend({ git, worktrees, findObstacle: findOverlayObstacle });
  const root = overlayDir();
  // The files are the layer that is not the template's; without it the workspace can't be mounted again.
  const takeAway = (path: string, to: string) => {
    unmountBelow(join(root, 'project'));
    rmdirSync(path);
    renameSync(join(root, '.overlay'), to);
  };
  return { backend, git, source, path: join(root, 'project', 'desk'), scratch: tempDir(), takeAway, root };
}

describe('an overlay workspace', () => {
  test('is mounted again with its changes when its mount is gone, and only once for concurrent calls', async () => {
    const { backend, record, path, root } = await makeFixture();
    writeFileSync(join(path, 'work.txt'), 'work');
    unmountBelow(root);
    expect(readdirSync(path)).toEqual([]);
    await Promise.all([1, 2, 3].map(() => backend.inspect([record], { size: false })));
    expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work');
    expect(listMounts(path)).toEqual([path]);
    unmountBelow(root);
    rmdirSync(path);
    const [look] = await backend.inspect([record], { size: false });
    expect(look).toMatchObject({ presence: { kind: 'present' }, changes: { untracked: 1 } });
  });

  for (const what of ['tree', 'layer'])
    test(`is mounted again with its changes when its template ${what} was lost in a power cut`, async () => {
      const { backend, record, path, root } = await (what === 'tree' ? makeFixture() : makeNearFixture());
      writeFileSync(join(path, 'work.txt'), 'work');
      mkdirSync(join(path, 'dir'), { recursive: true });
      writeFileSync(join(path, 'dir/more.txt'), 'more');
      const before = readFileSync(join(path, 'a.txt'), 'utf8');
      unmountBelow(root);
      const top = restartBelow(join(root, '.overlay', record.id, 'lower'));
      expect(top.endsWith(`/${what}`)).toBe(true);
      truncateSync(join(top, 'a.txt'));
      for (const _ of ['first', 'after another restart']) {
        await Promise.all([1, 2, 3].map(() => backend.inspect([record], { size: false })));
        const [look] = await backend.inspect([record], { size: false });
        expect(look).toMatchObject({ presence: { kind: 'present' }, changes: { untracked: 2, unstaged: 0 } });
        expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe(before);
        expect(readFileSync(join(path, 'dir/more.txt'), 'utf8')).toBe('more');
        expect(listMounts(path)).toEqual([path]);
        unmountBelow(root);
      }
    });

  test('is mounted over the same layer after a restart that lost nothing', async () => {
    const { backend, record, path, root } = await makeNearFixture();
    const file = join(root, '.overlay', record.id, 'lower');
    unmountBelow(root);
    restartBelow(file);
    const before = readFileSync(file, 'utf8');
    const [look] = await backend.inspect([record], { size: false });
    expect(look).toMatchObject({ presence: { kind: 'present' }, changes: { untracked: 0, unstaged: 0 } });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(listMounts(root)).toEqual([path]);
  });

  test('takes little space, however large its base is', async () => {
    const { backend, record } = await makeFixture({ 'large.bin': 'x'.repeat(1_000_000) });
    const [look] = await backend.inspect([record], { size: true });
    expect(look?.sizeBytes).toBeLessThan(100_000);
  });

  thoroughTest("that can't be mounted is reported, and nothing is lost", async () => {
    const { backend, record, path, root } = await makeFixture();
    writeFileSync(join(path, 'work.txt'), 'work');
    unmountBelow(root);
    const lower = join(root, '.overlay', record.id, 'lower');
    const before = readFileSync(lower, 'utf8');
    writeFileSync(lower, '/nonexistent');
    const [look] = await backend.inspect([record], { size: true });
    expect(look?.presence).toMatchObject({
      kind: 'replaced',
      found: expect.stringContaining('empty mount point of an overlay'),
    });
    await expect(backend.removal.setAside(record)).rejects.toMatchObject({ code: 'OVERLAY_MOUNT_FAILED' });
    writeFileSync(lower, before);
    await backend.inspect([record], { size: false });
    expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work');
  });

  test('is not set aside while a process has a file of it open', async () => {
    const { backend, record, path } = await makeFixture();
    const file = openSync(join(path, 'a.txt'), 'r');
    await expect(backend.removal.setAside(record)).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
    closeSync(file);
    await backend.removal.putBack(record);
    expect(listMounts(join(path, '..'))).toEqual([path]);
    await backend.removal.setAside(record);
    expect(existsSync(path)).toBe(false);
  });

  test('that was set aside during a power cut is put back', async () => {
    const { backend, record, path, root } = await makeFixture();
    writeFileSync(join(path, 'work.txt'), 'work');
    await backend.removal.setAside(record);
    unmountBelow(root);
    await backend.removal.putBack(record);
    expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work');
    expect(existsSync(backend.removal.asideOf(record))).toBe(false);
  });

  test('whose registration was removed is not deleted with the work in it', async () => {
    const { backend, record, path, source } = await makeFixture();
    writeFileSync(join(path, 'work.txt'), 'work');
    rmSync(join(source, '.git/worktrees', record.id), { recursive: true });
    await expect(backend.undoCreate(record)).rejects.toMatchObject({ code: 'WORKSPACE_REPLACED' });
    expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work');
  });

  test('is not available where the checkout is sparse', async () => {
    const { backend, source, root } = await makeFixture();
    const repository = await backend.locate(source);
    expect(await backend.findObstacle?.(repository, root)).toBeNull();
    plainGit(source, 'sparse-checkout', 'set', 'dir');
    expect(await backend.findObstacle?.(repository, root)).toContain('sparse');
  });

  async function makeFixture(files = {}) {
    const place = await prepare({ ...BASE_FILES, ...files });
    const repository = await place.backend.locate(place.source);
    const record = await describeWorkspace(place, repository, 'first');
    await create({ backend: place.backend, record });
    return { ...place, record };
  }

  /** As it is after a restart of the machine; gives the topmost layer. The name of a layer has the boot in it. */
  function restartBelow(lowerFile: string): string {
    const lower = readFileSync(lowerFile, 'utf8');
    const directory = join(lower.split(':')[0] as string, '..');
    const former = directory.replace(/-[0-9a-f]{8}-layer$/, '-00000000-layer');
    renameSync(directory, former);
    writeFileSync(lowerFile, lower.replace(directory, former));
    for (const template of readdirSync(join(former, '..')))
      writeFileSync(join(former, '..', template, 'boot'), 'another boot');
    return lower.split(':')[0]?.replace(directory, former) ?? '';
  }

  /** Over a layer: the template tree is that of another commit. */
  async function makeNearFixture() {
    const place = await prepare(BASE_FILES);
    const repository = await place.backend.locate(place.source);
    const first = await describeWorkspace(place, repository, 'first');
    const { repositoryId, commonDir } = first;
    const request = {
      root: place.root,
      repositoryId,
      repository: place.source,
      commonDir: commonDir as string,
    };
    await ensureTemplate(place.git, { ...request, commit: first.base.commit as string });
    writeFileSync(join(place.source, 'a.txt'), 'second\n');
    plainGit(place.source, 'commit', '--quiet', '--all', '-m', 'second');
    const record = await describeWorkspace(place, repository, 'second');
    await create({ backend: place.backend, record });
    return { ...place, record };
  }
});
