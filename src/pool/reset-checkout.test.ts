import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fingerprint, hashTree } from '../../test/helpers/fingerprint.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { makePool } from '../../test/helpers/test-pool.js';
import type { WorkspaceLease } from './workspace-pool.js';

/** What somebody does with a lease, and files that have to be among the remains afterwards, with their content. */
interface Mess {
  readonly make: (lease: WorkspaceLease) => void | Promise<void>;
  /** Paths in the remains; null: there is no work in it. */
  readonly kept: Readonly<Record<string, string | RegExp>> | null;
}

const inTree =
  (change: (path: string, lease: WorkspaceLease) => void) =>
  (lease: WorkspaceLease): void =>
    change(lease.path, lease);

const messes: Record<string, Mess> = {
  'an edit': {
    make: inTree(path => appendFileSync(join(path, 'README.md'), 'more')),
    kept: { 'tree/README.md': 'hello\nmore' },
  },
  'an edit of the same size with the old time': {
    make: inTree(path => {
      const file = join(path, 'source/one.txt');
      const { atime, mtime } = statSync(file);
      writeFileSync(file, 'uno\n');
      utimesSync(file, atime, mtime);
    }),
    kept: { 'tree/source/one.txt': 'uno\n' },
  },
  'an executable bit': {
    make: inTree(path => chmodSync(join(path, 'run.sh'), 0o755)),
    kept: { 'tree/run.sh': '#!/bin/sh\n' },
  },
  'permissions that git does not know': {
    make: inTree(path => chmodSync(join(path, 'README.md'), 0o666)),
    kept: null,
  },
  'permissions of a directory': { make: inTree(path => chmodSync(join(path, 'source'), 0o777)), kept: null },
  'a directory that may not be entered': {
    make: inTree(path => {
      writeFiles(path, { 'source/deep/hidden.txt': 'hidden\n' });
      chmodSync(join(path, 'source/deep'), 0);
    }),
    kept: { 'tree/source/deep/hidden.txt': 'hidden\n' },
  },
  'a deletion': {
    make: inTree(path => unlinkSync(join(path, 'source/deep/two.txt'))),
    kept: { removed: 'source/deep/two.txt\0' },
  },
  'a file that became a link': {
    make: inTree(path => {
      unlinkSync(join(path, 'README.md'));
      symlinkSync('/etc/hostname', join(path, 'README.md'));
    }),
    kept: { 'tree/README.md': '-> /etc/hostname' },
  },
  'a file that became a directory': {
    make: inTree(path => {
      unlinkSync(join(path, 'README.md'));
      writeFiles(path, { 'README.md/inner.txt': 'inner\n' });
    }),
    kept: { 'tree/README.md/inner.txt': 'inner\n' },
  },
  'an untracked file in a tracked directory': {
    make: inTree(path => writeFiles(path, { 'source/new.txt': 'new\n' })),
    kept: { 'tree/source/new.txt': 'new\n' },
  },
  'an ignored file': {
    make: inTree(path => writeFiles(path, { 'debug.log': 'log\n' })),
    kept: { 'tree/debug.log': 'log\n' },
  },
  'a directory that tools make again': {
    make: inTree(path => writeFiles(path, { 'node_modules/a/index.js': 'x\n' })),
    kept: null,
  },
  'a repository in a directory that tools make again': {
    make: inTree(path => {
      mkdirSync(join(path, 'node_modules/src/lib'), { recursive: true });
      git(join(path, 'node_modules/src/lib'), 'init', '--quiet');
    }),
    kept: { 'tree/node_modules/src/lib/.git/HEAD': /refs\/heads/ },
  },
  'an empty directory': {
    make: inTree(path => mkdirSync(join(path, 'source/empty'))),
    kept: { 'tree/source/empty': 'directory' },
  },
  'a named pipe': {
    make: inTree(path => void execFileSync('mkfifo', [join(path, 'source/pipe')])),
    kept: { 'tree/source/pipe': 'special' },
  },
  'a nested repository': {
    make: inTree(path => {
      mkdirSync(join(path, 'nested'));
      git(join(path, 'nested'), 'init', '--quiet');
    }),
    kept: { 'tree/nested/.git/HEAD': /refs\/heads/ },
  },
  'a bare repository': {
    make: inTree(path => void git(path, 'init', '--quiet', '--bare', 'source/bare.git')),
    kept: { 'tree/source/bare.git/HEAD': /refs\/heads/ },
  },
  'a repository in a tracked directory': {
    make: inTree(path => void git(join(path, 'source'), 'init', '--quiet')),
    kept: { 'tree/source/.git/HEAD': /refs\/heads/ },
  },
  'a file that git was told to take for unchanged': {
    make: inTree(path => {
      git(path, 'update-index', '--assume-unchanged', 'README.md');
      writeFileSync(join(path, 'README.md'), 'hidden\n');
    }),
    kept: { 'tree/README.md': 'hidden\n' },
  },
  'a file that git was told to skip': {
    make: inTree(path => {
      git(path, 'update-index', '--skip-worktree', 'README.md');
      writeFileSync(join(path, 'README.md'), 'hidden\n');
    }),
    kept: { 'tree/README.md': 'hidden\n' },
  },
  'an index written over in place': {
    make: inTree((path, { gitDir }) => {
      const index = readFileSync(join(gitDir, 'index'));
      writeFileSync(join(path, 'README.md'), 'HELLO\n');
      git(path, 'add', 'README.md');
      writeFileSync(join(gitDir, 'index'), index);
    }),
    kept: { 'tree/README.md': 'HELLO\n' },
  },
  'an index that is gone': { make: inTree((_, { gitDir }) => unlinkSync(join(gitDir, 'index'))), kept: null },
  'an index that is rubbish': {
    make: inTree((_, { gitDir }) => writeFileSync(join(gitDir, 'index'), 'rubbish')),
    kept: { 'git/index': 'rubbish' },
  },
  'something staged and taken back from the files': {
    make: inTree(path => {
      writeFileSync(join(path, 'README.md'), 'staged\n');
      git(path, 'add', 'README.md');
      writeFileSync(join(path, 'README.md'), 'hello\n');
    }),
    kept: { 'git/index': /DIRC/ },
  },
  'a look at the status': { make: inTree(path => void git(path, 'status')), kept: null },
  'a stash': {
    make: inTree(path => {
      appendFileSync(join(path, 'README.md'), 'stashed');
      git(path, 'stash');
    }),
    kept: { 'git/refs/stash': /^[0-9a-f]{40}\n$/ },
  },
  'commits on a branch, and a tag': {
    make: inTree(path => {
      git(path, 'switch', '--quiet', '-c', 'feature');
      commitFiles(path, { 'feature.txt': 'feature\n' });
      git(path, 'tag', 'v1');
    }),
    kept: { 'git/HEAD': 'ref: refs/heads/feature\n', 'git/refs/tags/v1': /./ },
  },
  'a commit that only the reflog knows': {
    make: inTree(path => {
      commitFiles(path, { 'lost.txt': 'lost\n' });
      git(path, 'reset', '--quiet', '--hard', 'HEAD~1');
    }),
    kept: { 'git/logs/HEAD': /commit: change/ },
  },
  'a setting': {
    make: inTree(path => void git(path, 'config', 'user.name', 'Mallory')),
    kept: { 'git/config': /Mallory/ },
  },
  'a work tree elsewhere': {
    make: inTree(path => {
      const elsewhere = tempDir();
      writeFiles(elsewhere, { 'mine.txt': 'mine\n' });
      git(path, 'config', 'core.worktree', elsewhere);
    }),
    kept: { 'git/config': /worktree/ },
  },
  'a hook': {
    make: inTree((_, { gitDir }) => writeFiles(gitDir, { 'hooks/post-checkout': '#!/bin/sh\nexit 1\n' })),
    kept: { 'git/hooks/post-checkout': /exit 1/ },
  },
  'other alternates': {
    make: inTree((_, { gitDir }) => writeFileSync(join(gitDir, 'objects/info/alternates'), '/nowhere\n')),
    kept: null,
  },
  'garbage collection': {
    make: inTree(path => {
      commitFiles(path, { 'kept.txt': 'kept\n' });
      git(path, 'gc', '--quiet', '--prune=now');
    }),
    kept: { 'git/packed-refs': /pack-refs/ },
  },
  'a merge under way': {
    make: inTree(path => {
      git(path, 'switch', '--quiet', '-c', 'other');
      commitFiles(path, { 'README.md': 'theirs\n' });
      git(path, 'switch', '--quiet', '--detach', 'HEAD~1');
      commitFiles(path, { 'README.md': 'ours\n' });
      expect(() => git(path, 'merge', 'other')).toThrow();
    }),
    kept: { 'tree/README.md': /<<<<<<</, 'git/MERGE_HEAD': /./ },
  },
  'a .git file that is gone': { make: inTree(path => unlinkSync(join(path, '.git'))), kept: null },
  'a repository in the place of the .git file': {
    make: inTree(path => {
      unlinkSync(join(path, '.git'));
      git(path, 'init', '--quiet');
    }),
    kept: { 'tree/.git.replaced/HEAD': /refs\/heads/ },
  },
  'a git directory that is gone': {
    make: inTree((_, { gitDir }) => rmSync(gitDir, { recursive: true })),
    kept: null,
  },
  'an edit, and a git directory that is gone': {
    make: inTree((path, { gitDir }) => {
      appendFileSync(join(path, 'README.md'), 'more');
      rmSync(gitDir, { recursive: true });
    }),
    kept: { 'tree/README.md': 'hello\nmore', 'git/HEAD': /^[0-9a-f]{40}\n$/ },
  },
  'a lock that a killed git left': {
    make: inTree((_, { gitDir }) => writeFileSync(join(gitDir, 'index.lock'), '')),
    kept: null,
  },
  'a second name for a tracked file': {
    make: inTree(path => void execFileSync('ln', [join(path, 'README.md'), join(path, 'debug.log')])),
    kept: { 'tree/debug.log': 'hello\n' },
  },
};

describe('nothing of one lease is seen by the next:', () => {
  test.each(Object.entries(messes))('%s', async (_, { make, kept }) => {
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

test('a link in the place of a directory is moved and never followed', async () => {
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

test('the empty directory of a submodule is there again, whatever became of it', async () => {
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

test('a socket that a server listened on goes', async () => {
  const { acquire, pool } = await makePool();
  const lease = await acquire();
  const before = lookAt(lease);
  const server = createServer();
  await new Promise<void>(resolve => server.listen(join(lease.path, 'socket'), resolve));
  // A dead server leaves its socket; a closed one of Node's own would not.
  execFileSync('cp', ['-a', join(lease.path, 'socket'), join(lease.path, 'source/socket')]);
  await new Promise(resolve => server.close(resolve));
  expect(lstatSync(join(lease.path, 'source/socket')).isSocket()).toBe(true);
  expect(await pool.release(lease.id)).toMatchObject({ status: 'free' });
  expect(lookAt(await acquire())).toEqual(before);
});

test('what is not to be kept is rubbish', async () => {
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
  expect(await pool.release(lease.id)).toEqual({ status: 'free', reason: null, snapshotId: null });
});

/** Everything that whoever has the lease can see of it: files, modes, and what git says. */
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
