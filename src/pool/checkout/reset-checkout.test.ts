import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fingerprint, hashTree } from '../../../test/helpers/fingerprint.js';
import { oneInSix } from '../../../test/helpers/flavours.js';
import { leaseMesses } from '../../../test/helpers/pool/lease-messes.js';
import { makePool } from '../../../test/helpers/pool/test-pool.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { slotPlace } from '../slot/slot-place.js';
import type { WorkspaceLease } from '../workspace-pool.js';

describe('the next lease sees nothing of the last one:', () => {
  test.each(oneInSix(Object.entries(leaseMesses)))('%s', async (_, { make, kept }) => {
    const { acquire, pool, repository, remains } = await makePool();
    const user = fingerprint(repository);
    const first = await acquire();
    const before = lookAt(first);
    await make(first);
    const outcome = await pool.release(first.id);
    expect(outcome).toMatchObject({ status: 'free', reason: null });
    const second = await acquire();
    expect(second).toMatchObject({ slotId: first.slotId, isWarm: true });
    expect(lookAt(second)).toEqual(before);
    expect(git(second.path, 'status', '--porcelain', '--ignored')).toBe('');
    expect(fingerprint(repository)).toEqual(user);
    const found = (await remains()).filter(({ holds }) => holds === 'work');
    expect(found.map(({ id }) => id)).toEqual(kept === null ? [] : [outcome.snapshotId]);
    for (const [path, content] of Object.entries(kept ?? {})) {
      const text = describeFile(join(found[0]?.directory ?? '', path));
      if (typeof content === 'string') expect(text).toBe(content);
      else expect(text).toMatch(content);
    }
    await pool.release(second.id);
  });
});

describe('nothing is left of work that is discarded:', () => {
  test.each(oneInSix(Object.entries(leaseMesses)))('%s', async (_, { make }) => {
    const { acquire, pool, repository } = await makePool();
    const user = fingerprint(repository);
    const lease = await acquire();
    const before = lookAt(lease);
    await make(lease);
    await pool.reset(lease.id, { work: 'discard' });
    expect(lookAt(lease)).toEqual(before);
    expect(git(lease.path, 'status', '--porcelain', '--ignored')).toBe('');
    expect(fingerprint(repository)).toEqual(user);
    await pool.release(lease.id);
  });
});

test('a forged pristine index hides nothing from the next lease', async () => {
  const { acquire, pool, remains } = await makePool();
  const lease = await acquire();
  const before = lookAt(lease);
  forgeIndex(lease.path, 'source/one.txt', 'uno\n');
  expect(await pool.release(lease.id)).toMatchObject({ status: 'free', reason: null });
  const second = await acquire();
  expect(second).toMatchObject({ slotId: lease.slotId, isWarm: true });
  expect(lookAt(second)).toEqual(before);
  expect(git(second.path, 'status', '--porcelain')).toBe('');
  const [kept] = await remains();
  expect(describeFile(join(kept?.directory ?? '', 'tree/source/one.txt'))).toBe('uno\n');
  forgeIndex(second.path, 'run.sh', '#!/bin/no\n');
  await pool.reset(second.id, { work: 'discard' });
  expect(lookAt(second)).toEqual(before);
  await pool.release(second.id);
});

/** Changes a file, and has both indexes say that it is the commit's: its old id, with its new times. */
function forgeIndex(path: string, name: string, content: string): void {
  const { gitDir, pristineIndex } = slotPlace(dirname(path));
  const idOf = () => Buffer.from(git(path, 'rev-parse', `:${name}`), 'hex');
  const old = idOf();
  writeFiles(path, { [name]: content });
  git(path, 'add', name);
  const bytes = readFileSync(join(gitDir, 'index'));
  old.copy(bytes, bytes.indexOf(idOf()));
  const body = bytes.subarray(0, -20);
  const forged = Buffer.concat([body, createHash('sha1').update(body).digest()]);
  const later = Date.now() / 1000 + 5;
  for (const file of [pristineIndex, join(gitDir, 'index')]) {
    writeFileSync(file, forged);
    utimesSync(file, later, later);
  }
  expect(git(path, 'diff', 'HEAD', '--name-only')).toBe('');
}

test('files that git converts are compared by git', async () => {
  const repository = makeRepository({ '.gitattributes': '*.txt text eol=crlf\n', 'one.txt': 'one\n' });
  const { acquire, pool } = await makePool({}, repository);
  const lease = await acquire();
  const before = lookAt(lease);
  writeFiles(lease.path, { 'one.txt': 'two\r\n' });
  await pool.reset(lease.id, { work: 'discard' });
  expect(lookAt(lease)).toEqual(before);
  expect(readFileSync(join(lease.path, 'one.txt'), 'utf8')).toBe('one\r\n');
  await pool.release(lease.id);
});

test('a link in the place of a directory is moved and not followed', async () => {
  const { acquire, pool, remains } = await makePool();
  const elsewhere = tempDir();
  writeFiles(elsewhere, { 'one.txt': 'precious\n', 'deep/two.txt': 'precious\n', 'mine.txt': 'mine\n' });
  const before = hashTree(elsewhere);
  const lease = await acquire();
  const clean = lookAt(lease);
  rmSync(join(lease.path, 'source'), { recursive: true });
  symlinkSync(elsewhere, join(lease.path, 'source'));
  expect(await pool.release(lease.id)).toMatchObject({ status: 'free' });
  expect(hashTree(elsewhere)).toBe(before);
  const [kept] = await remains();
  expect(describeFile(join(kept?.directory ?? '', 'tree/source'))).toBe(`-> ${elsewhere}`);
  expect(
    describeFile(join(kept?.directory ?? '', 'removed'))
      .split('\0')
      .sort(),
  ).toEqual(['', 'source/deep/two.txt', 'source/one.txt']);
  expect(lookAt(await acquire())).toEqual(clean);
});

test('a link in the place of all files puts the slot in quarantine and is not followed', async () => {
  const { acquire, pool, repository } = await makePool();
  const user = fingerprint(repository);
  const lease = await acquire();
  rmSync(lease.path, { recursive: true });
  symlinkSync(repository, lease.path);
  expect(await pool.release(lease.id)).toMatchObject({
    status: 'quarantined',
    reason: 'the files are gone or replaced',
  });
  expect(fingerprint(repository)).toEqual(user);
  expect((await acquire()).slotId).not.toBe(lease.slotId);
});

test('the empty directory of a submodule is restored after any change', async () => {
  const inner = makeRepository({ 'inner.txt': 'inner\n' });
  const repository = makeRepository({ 'README.md': 'hello\n' });
  git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'module');
  commitFiles(repository, {}, 'with a submodule');
  const { acquire, pool, remains } = await makePool({}, repository);
  const lease = await acquire();
  const before = lookAt(lease);
  rmdirSync(join(lease.path, 'module'));
  expect(await pool.release(lease.id)).toMatchObject({ status: 'free' });
  const second = await acquire();
  expect(lookAt(second)).toEqual(before);
  git(second.path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  writeFiles(second.path, { 'module/inner.txt': 'changed\n' });
  expect(await pool.release(second.id)).toMatchObject({ status: 'free' });
  expect(lookAt(await acquire())).toEqual(before);
  const [kept] = await remains();
  expect(describeFile(join(kept?.directory ?? '', 'tree/module/inner.txt'))).toBe('changed\n');
});

test('removes the socket of a server', async () => {
  const { acquire, pool } = await makePool();
  const lease = await acquire();
  const before = lookAt(lease);
  const server = createServer();
  // The kernel takes a hundred characters at the most for the path of a socket.
  const socket = join(tempDir(), 'socket');
  await new Promise<void>(resolve => server.listen(socket, resolve));
  // A dead server leaves its socket; a closed one of Node's own would not.
  for (const place of ['socket', 'source/socket'])
    execFileSync('cp', ['-a', socket, join(lease.path, place)]);
  await new Promise(resolve => server.close(resolve));
  expect(lstatSync(join(lease.path, 'source/socket')).isSocket()).toBe(true);
  expect(await pool.release(lease.id)).toMatchObject({ status: 'free' });
  expect(lookAt(await acquire())).toEqual(before);
});

test('releasing a slot lists tool directories that are in no snapshot', async () => {
  const { acquire, pool } = await makePool();
  const lease = await acquire();
  writeFiles(lease.path, {
    '.gitignore': 'node_modules/\n',
    'node_modules/by-hand.js': 'x',
    'sub/new.txt': 'x',
    'sub/node_modules/by-hand.js': 'x',
  });
  expect((await pool.release(lease.id)).dropped).toEqual(['node_modules', 'sub/node_modules']);
});

test('discarded work is deleted', async () => {
  const { acquire, pool, remains } = await makePool();
  const lease = await acquire();
  writeFiles(lease.path, { 'new.txt': 'new\n' });
  expect(await pool.release(lease.id, { work: 'discard' })).toMatchObject({
    status: 'free',
    snapshotId: null,
  });
  expect(await remains()).toMatchObject([{ holds: 'rubbish', workspaceId: lease.slotId }]);
});

test('a reset in the middle of a lease keeps the lease', async () => {
  const { acquire, pool, remains } = await makePool();
  const lease = await acquire();
  const before = lookAt(lease);
  writeFiles(lease.path, { 'new.txt': 'new\n' });
  await pool.reset(lease.id);
  expect(lookAt(lease)).toEqual(before);
  expect(await remains()).toMatchObject([{ holds: 'work', isPartial: true, reason: 'pool' }]);
  expect(await pool.release(lease.id)).toEqual({
    status: 'free',
    reason: null,
    snapshotId: null,
    dropped: [],
  });
});

/** Everything that the holder of a lease sees: files, modes, and git's answers. */
function lookAt({ path, gitDir }: WorkspaceLease) {
  const show = (...args: string[]) => git(path, ...args);
  return {
    files: hashTree(path),
    gitFiles: listFiles(gitDir).filter(name => name !== 'index'),
    config: show('config', '--list'),
    refs: show('for-each-ref'),
    head: readFileSync(join(gitDir, 'HEAD'), 'utf8'),
    entries: show('ls-files', '--stage', '-v'),
  };
}

const listFiles = (directory: string): string[] =>
  (readdirSync(directory, { recursive: true, withFileTypes: true }) as import('node:fs').Dirent[])
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();

function describeFile(path: string): string {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  if (info?.isDirectory()) return 'directory';
  if (info && !info.isFile()) return 'special';
  return existsSync(path) ? readFileSync(path, 'utf8') : 'nothing';
}
