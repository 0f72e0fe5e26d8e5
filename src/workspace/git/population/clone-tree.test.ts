import { lstatSync, lutimesSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { mountImage, REFLINK_FILE_SYSTEMS } from '../../../../test/helpers/machine/file-system-image.js';
import { git } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { loadIndex } from '../../../git/index/git-index-file.js';
import { type Files, readTree, writeTree } from '../../contract/file-tree.js';
import { canClone } from '../../files/reflink.js';
import { cloneTree } from './clone-tree.js';

const FILES: Files = {
  'a.txt': 'one\n',
  empty: '',
  'deep/er/b.txt': 'two\n',
  'deep/er/run.sh': { content: '#!/bin/sh\n', mode: 0o755 },
  'deep/link': { target: 'er/b.txt' },
  dangling: { target: '/nonexistent' },
  'odd/\xff\xfe': 'not UTF-8',
  'odd/new\nline': 'x',
  large: 'many bytes\n'.repeat(10_000),
};

/** A repository whose files are older than its index, and a registered worktree without files. */
async function makeScene(disk: string, { elsewhere = disk, files = FILES } = {}) {
  const source = join(disk, 'source');
  writeTree(source, files);
  for (const name of readdirSync(source, { recursive: true, encoding: 'latin1' }))
    lutimesSync(Buffer.from(`${source}/${name}`, 'latin1'), 1e9, 1e9);
  git(disk, 'init', '--quiet', '--initial-branch=main', source);
  git(source, 'add', '--all');
  git(source, 'commit', '--quiet', '-m', 'first');
  const target = join(elsewhere, 'target');
  git(source, 'worktree', 'add', '--quiet', '--detach', '--no-checkout', target);
  const indexFile = join(git(target, 'rev-parse', '--absolute-git-dir'), 'index');
  rmSync(indexFile, { force: true });
  const index = loadIndex(join(source, '.git/index'), 20);
  if ('unusable' in index) throw new Error(index.unusable);
  const wanted = new Uint8Array(index.paths.length).fill(1);
  const clone = (signal?: AbortSignal) =>
    cloneTree({ from: source, index, wanted, to: { tree: target, indexFile }, signal });
  return { source, target, indexFile, index, wanted, clone, count: wanted.length };
}

for (const kind of REFLINK_FILE_SYSTEMS) {
  test(`on ${kind} clones are identical, and git sees them as clean without reading them`, async context => {
    const { source, target, indexFile, clone, count } = await makeScene(mountImage(context, kind));
    expect(await clone()).toEqual({ cloned: count, left: 0 });
    expect(readTree(target)).toEqual(readTree(source));
    const written = readFileSync(indexFile);
    expect(git(target, 'diff-files')).toBe('');
    git(target, 'update-index', '--refresh');
    expect(readFileSync(indexFile).equals(written)).toBe(true);
    expect(git(target, 'status', '--porcelain')).toBe('');
    expect(git(target, 'fsck')).toBe('');
  });

  test(`on ${kind} an edit of the same size right after cloning is seen, and so are modes and types`, async context => {
    const { source, target, clone } = await makeScene(mountImage(context, kind));
    await clone();
    writeTree(target, {
      'a.txt': 'eno\n',
      'deep/er/run.sh': { content: '#!/bin/sh\n', mode: 0o644 },
      'deep/link': { target: 'er/a.txt' },
      empty: null,
    });
    expect(
      git(target, 'status', '--porcelain')
        .split('\n')
        .map(line => line.trim()),
    ).toEqual(['M a.txt', 'M deep/er/run.sh', 'M deep/link', 'D empty']);
    expect(git(source, 'status', '--porcelain')).toBe('');
  });

  test(`on ${kind} files that changed in the source are left to git`, async context => {
    const { source, target, clone, count } = await makeScene(mountImage(context, kind));
    const before = readTree(source);
    writeTree(source, {
      'a.txt': 'eno\n',
      empty: null,
      'deep/er/b.txt': { target: '../../large' },
      'deep/er/run.sh': { content: '#!/bin/sh\n', mode: 0o644 },
      'deep/link': 'a file now',
    });
    rmSync(join(source, 'odd'), { recursive: true });
    expect(await clone()).toEqual({ cloned: count - 7, left: 7 });
    expect(readdirSync(target).sort()).toEqual(['.git', 'dangling', 'deep', 'large', 'odd']);
    git(target, 'reset', '--hard', '--quiet');
    expect(readTree(target)).toEqual(before);
    expect(git(target, 'status', '--porcelain')).toBe('');
  });
}

test('mode bits that git does not track are those of new files', async context => {
  const disk = mountImage(context, 'btrfs');
  const files = { 'private.txt': { content: 'p', mode: 0o600 }, 'private.sh': { content: 's', mode: 0o700 } };
  const { source, target, clone } = await makeScene(disk, { files });
  await clone();
  const ordinary = join(disk, 'ordinary');
  git(source, 'worktree', 'add', '--quiet', '--detach', ordinary);
  expect(readTree(target)).toEqual(readTree(ordinary));
  expect(git(target, 'diff-files')).toBe('');
});

test('a source directory that became a link does not lead out of the target', async context => {
  const { source, target, clone } = await makeScene(mountImage(context, 'btrfs'));
  renameSync(join(source, 'deep'), join(dirname(source), 'moved'));
  symlinkSync(join(dirname(source), 'moved'), join(source, 'deep'));
  await clone();
  expect(lstatSync(join(target, 'deep')).isDirectory()).toBe(true);
  expect(git(target, 'status', '--porcelain')).toBe('');
});

thoroughTest('entries that are not wanted are not cloned', async context => {
  const { target, clone, wanted, count } = await makeScene(mountImage(context, 'btrfs'));
  wanted[0] = 0;
  expect(await clone()).toEqual({ cloned: count - 1, left: 1 });
  expect(git(target, 'status', '--porcelain')).toBe(' D a.txt');
});

thoroughTest('between two file systems nothing is cloned and git writes everything', async context => {
  const disk = mountImage(context, 'btrfs');
  const { source, target, clone, count } = await makeScene(disk, { elsewhere: tempDir() });
  expect(await canClone(join(source, 'a.txt'), target)).toBe(false);
  expect(await canClone(join(source, 'a.txt'), disk)).toBe(true);
  expect(await clone()).toEqual({ cloned: 0, left: count });
  git(target, 'reset', '--hard', '--quiet');
  expect(readTree(target)).toEqual(readTree(source));
  expect(readdirSync(target).filter(name => name.startsWith('.carrel'))).toEqual([]);
});

thoroughTest('a cancelled clone leaves no lock behind', async context => {
  const { indexFile, clone } = await makeScene(mountImage(context, 'btrfs'));
  const controller = new AbortController();
  controller.abort(new Error('enough'));
  await expect(clone(controller.signal)).rejects.toThrow('enough');
  expect(readdirSync(dirname(indexFile))).not.toContain('index.lock');
});
