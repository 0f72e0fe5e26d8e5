import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitFiles, git, gitEnv, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { clearStat, entryId, entryMode, isOrdinaryEntry, readPaths } from './git-index-entries.js';
import {
  countIndexEntries,
  findTreeId,
  formatIndex,
  type LoadedIndex,
  loadIndex,
  parseIndex,
} from './git-index-file.js';
import { entrySize, isRacy, matchesStat, putStat } from './index-stat.js';

const FILES = {
  'a.txt': 'a\n',
  'dir/deep/b.txt': 'bb\n',
  'dir/deep/bc': '',
  'dir.x': 'x\n',
  'dir/é ü': 'accents\n',
};

function makeSource(format: 'sha1' | 'sha256' = 'sha1'): string {
  const path = join(tempDir(), 'repo');
  execFileSync('git', ['init', '--quiet', `--object-format=${format}`, path], { env: gitEnv() });
  writeFiles(path, { ...FILES, 'run.sh': '#!/bin/sh\n' });
  chmodSync(join(path, 'run.sh'), 0o755);
  symlinkSync('a.txt', join(path, 'link'));
  commitFiles(path, {});
  return path;
}

const indexOf = (repository: string) => join(repository, '.git/index');

function read(repository: string, idBytes = 20): LoadedIndex {
  const index = loadIndex(indexOf(repository), idBytes);
  if ('unusable' in index) throw new Error(index.unusable);
  return index;
}

const listing = (repository: string) => git(repository, 'ls-files', '--stage', '-v', '-z');

/** The index as git would list it. */
function describe(index: LoadedIndex): string {
  const lines = index.paths.map((path, entry) => {
    const name = Buffer.from(path, 'latin1').toString();
    return `H ${entryMode(index, entry).toString(8)} ${entryId(index, entry)} 0\t${name}\0`;
  });
  return lines.join('');
}

const FORMATS = [2, 3, 4].flatMap(version =>
  (['sha1', 'sha256'] as const).map(format => ({ version, format })),
);

test.each(FORMATS)(
  'version $version with $format is read, and git accepts what is written',
  ({ version, format }) => {
    const repository = makeSource(format);
    if (version === 4) git(repository, 'update-index', '--index-version=4');
    // git writes version 3 only where an entry needs it.
    if (version === 3) git(repository, 'update-index', '--skip-worktree', 'a.txt');
    git(repository, 'write-tree');
    const idBytes = format === 'sha1' ? 20 : 32;
    const before = listing(repository);
    const index = read(repository, idBytes);
    expect(index.bytes.readUInt32BE(4)).toBe(version);
    expect(describe(index)).toBe(before.replace('S ', 'H '));
    expect(readPaths(index, [1, 3])).toEqual([index.paths[1], index.paths[3]]);
    expect(findTreeId(index)).toBe(git(repository, 'rev-parse', 'HEAD^{tree}'));
    writeFileSync(indexOf(repository), formatIndex(index));
    expect(listing(repository)).toBe(before);
    // It checks the checksum.
    expect(git(repository, 'fsck')).toBe('');
  },
);

test('stat data written by git matches, and no other', () => {
  const repository = makeSource();
  const index = read(repository);
  const infos = index.paths.map(path =>
    lstatSync(Buffer.from(`${repository}/${path}`, 'latin1'), { bigint: true }),
  );
  expect(infos.map((info, entry) => matchesStat(index, entry, info))).toEqual(infos.map(() => true));
  expect(matchesStat(index, 0, infos[1] as (typeof infos)[0])).toBe(false);
  expect(index.paths.map((_, entry) => entrySize(index, entry))).toEqual(
    infos.map(info => Number(info.size)),
  );
});

test('a copy of the files with their stat data is clean, without git reading any', () => {
  const repository = makeSource();
  const copy = join(tempDir(), 'copy');
  execFileSync('cp', ['--archive', repository, copy]);
  const index = read(copy);
  for (const [entry, path] of index.paths.entries())
    putStat(index, entry, lstatSync(Buffer.from(`${copy}/${path}`, 'latin1'), { bigint: true }));
  writeFileSync(indexOf(copy), formatIndex(index));
  // diff-files reads stat data alone: it lists every file that would have to be read.
  expect(git(copy, 'diff-files')).toBe('');
  git(copy, 'update-index', '--refresh');
  expect(git(copy, 'status', '--porcelain')).toBe('');
});

test('a forgotten entry is compared even with assume-unchanged or skip-worktree', () => {
  const repository = makeSource();
  git(repository, 'update-index', '--assume-unchanged', 'a.txt');
  git(repository, 'update-index', '--skip-worktree', 'dir.x');
  const index = read(repository);
  const odd = index.paths.filter((_, entry) => !isOrdinaryEntry(index, entry));
  expect(odd).toEqual(['a.txt', 'dir.x']);
  for (const entry of index.paths.keys()) clearStat(index, entry);
  writeFileSync(indexOf(repository), formatIndex(index));
  expect(git(repository, 'ls-files', '-v')).toMatch(/^H a\.txt\nH dir\.x$/m);
  expect(git(repository, 'diff-files', '--name-only').split('\n').length).toBe(index.paths.length);
  expect(git(repository, 'status', '--porcelain')).toBe('');
  writeFiles(repository, { 'a.txt': 'b\n', 'dir.x': 'y\n' });
  expect(git(repository, 'status', '--porcelain')).toBe(' M a.txt\n M dir.x');
});

test('conflicts and intent-to-add files are not ordinary entries', () => {
  const repository = makeSource();
  git(repository, 'switch', '--quiet', '-c', 'other');
  commitFiles(repository, { 'a.txt': 'theirs\n' });
  git(repository, 'switch', '--quiet', '-');
  commitFiles(repository, { 'a.txt': 'ours\n' });
  expect(() => git(repository, 'merge', 'other')).toThrow();
  writeFiles(repository, { new: 'n' });
  git(repository, 'add', '--intent-to-add', 'new');
  const index = read(repository);
  expect(index.paths.filter((_, entry) => !isOrdinaryEntry(index, entry))).toEqual([
    'a.txt',
    'a.txt',
    'a.txt',
    'new',
  ]);
});

test.each([2, 4])('a path longer than the length field of version %s is read completely', version => {
  const repository = makeSource();
  const long = Array.from({ length: 50 }, (_, part) => `${part}`.padStart(120, 'x')).join('/');
  git(
    repository,
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${git(repository, 'rev-parse', 'HEAD:a.txt')},${long}`,
  );
  git(repository, 'update-index', `--index-version=${version}`);
  const index = read(repository);
  expect(long.length).toBeGreaterThan(0xfff);
  expect(index.paths).toEqual(git(repository, 'ls-files', '-z').split('\0').filter(Boolean).map(toLatin1));
});

const toLatin1 = (text: string) => Buffer.from(text).toString('latin1');

test('extensions about the old files are dropped, and the ids of directories stay', () => {
  const repository = makeSource();
  for (const setting of [
    'index.threads=2',
    'index.recordEndOfIndexEntries=true',
    'index.recordOffsetTable=true',
  ]) {
    const [name = '', value = ''] = setting.split('=');
    git(repository, 'config', name, value);
  }
  git(repository, 'update-index', '--force-untracked-cache');
  git(repository, 'write-tree');
  git(repository, 'status');
  git(repository, 'update-index', '--force-write-index');
  const names = ['TREE', 'UNTR', 'EOIE'];
  const before = readFileSync(indexOf(repository));
  expect(names.filter(name => before.includes(name))).toEqual(names);
  const after = formatIndex(read(repository));
  expect(names.filter(name => after.includes(name))).toEqual(['TREE']);
});

test('a split index and a sparse one are refused with their names', () => {
  const split = makeSource();
  git(split, 'update-index', '--split-index');
  expect(loadIndex(indexOf(split), 20)).toEqual({ unusable: 'the index has the extension link' });
  const sparse = makeSource();
  git(sparse, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'nowhere');
  expect(loadIndex(indexOf(sparse), 20)).toEqual({ unusable: 'the index has the extension sdir' });
});

test('a missing, damaged, truncated or invalid index is refused with a reason', () => {
  const repository = makeSource();
  const bytes = readFileSync(indexOf(repository));
  const flipped = Buffer.from(bytes);
  flipped.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
  expect(parseIndex(flipped, 20)).toEqual({ unusable: 'the index is damaged' });
  expect(parseIndex(bytes.subarray(0, -1), 20)).toEqual({ unusable: 'the index is damaged' });
  expect(parseIndex(Buffer.from('DIRC'), 20)).toEqual({ unusable: 'the file is not an index' });
  expect(parseIndex(Buffer.alloc(100), 20)).toEqual({ unusable: 'the file is not an index' });
  expect(loadIndex(join(repository, 'nowhere'), 20)).toEqual({ unusable: 'there is no index' });
});

test('entries are counted by the header alone', async () => {
  const repository = makeSource();
  expect(await countIndexEntries(indexOf(repository))).toBe(read(repository).paths.length);
  expect(await countIndexEntries(join(repository, 'nowhere'))).toBe(0);
  writeFileSync(indexOf(repository), 'DIRC');
  expect(await countIndexEntries(indexOf(repository))).toBe(0);
});

test('lengths beyond the end are detected even without a checksum', () => {
  const withoutChecksum = (change: (bytes: Buffer) => void) => {
    const bytes = readFileSync(indexOf(makeSource()));
    bytes.fill(0, bytes.length - 20);
    change(bytes);
    return parseIndex(bytes, 20);
  };
  expect(withoutChecksum(() => {})).toHaveProperty('entriesEnd');
  const damaged = { unusable: 'the index is damaged' };
  expect(withoutChecksum(bytes => bytes.writeUInt32BE(0xffffffff, 8))).toEqual(damaged);
  expect(withoutChecksum(bytes => bytes.writeUInt32BE(60, 8))).toEqual(damaged);
  expect(withoutChecksum(bytes => bytes.writeUInt32BE(1 << 20, bytes.indexOf('TREE') + 4))).toEqual(damaged);
});

test('a version 4 name that strips more than the previous one has is detected', () => {
  const repository = makeSource();
  git(repository, 'update-index', '--index-version=4');
  const bytes = readFileSync(indexOf(repository));
  bytes.fill(0, bytes.length - 20);
  // Header, stat data, id and flags of the first entry.
  const stripped = 12 + 40 + 20 + 2;
  expect(bytes.readUInt8(stripped)).toBe(0);
  bytes.writeUInt8(1, stripped);
  expect(parseIndex(bytes, 20)).toEqual({ unusable: 'the index is damaged' });
});

test('a file that was written in the second of its index, or after, is racy', () => {
  const repository = makeSource();
  const index = read(repository);
  const writtenAt = Math.floor(lstatSync(join(repository, 'a.txt')).mtimeMs / 1000);
  expect(isRacy({ ...index, writtenAt }, 0)).toBe(true);
  expect(isRacy({ ...index, writtenAt: writtenAt - 1 }, 0)).toBe(true);
  expect(isRacy({ ...index, writtenAt: writtenAt + 2 }, 0)).toBe(false);
});

test('an index written in the last nanosecond of a second belongs to that second', () => {
  const repository = makeSource();
  execFileSync('touch', ['--date=@1700000000.999999999', indexOf(repository)]);
  expect(read(repository).writtenAt).toBe(1_700_000_000);
});
