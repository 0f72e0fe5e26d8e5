import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { slotPlace } from '../../../src/pool/slot/slot-place.js';
import type { WorkspaceLease } from '../../../src/pool/workspace-pool.js';
import { commitFiles, git, writeFiles } from '../repository.js';
import { tempDir } from '../temp.js';

/** What a user does with a lease, and files that must be among the remains afterwards, with their content. */
interface Mess {
  readonly make: (lease: WorkspaceLease) => void | Promise<void>;
  /** Paths in the remains; null: there is no work in it. */
  readonly kept: Readonly<Record<string, string | RegExp>> | null;
}

const inTree =
  (change: (path: string, lease: WorkspaceLease) => void) =>
  (lease: WorkspaceLease): void =>
    change(lease.path, lease);

export const leaseMesses: Readonly<Record<string, Mess>> = {
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
  'the same where git compares seconds only': {
    make: inTree(path => {
      const file = join(path, 'source/one.txt');
      const { atime, mtime } = statSync(file);
      const { pristineIndex } = slotPlace(dirname(path));
      // As in a slot that has been free for a while: git reads no file that is older than its index.
      utimesSync(pristineIndex, mtime.getTime() / 1000 + 2, mtime.getTime() / 1000 + 2);
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
  'a file marked assume-unchanged': {
    make: inTree(path => {
      git(path, 'update-index', '--assume-unchanged', 'README.md');
      writeFileSync(join(path, 'README.md'), 'hidden\n');
    }),
    kept: { 'tree/README.md': 'hidden\n' },
  },
  'a file marked skip-worktree': {
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
  'a staged change that was undone in the files': {
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
  'its own ignore rules, which hide a new file': {
    make: inTree((path, { gitDir }) => {
      writeFiles(gitDir, { 'info/exclude': '*.secret\n' });
      writeFiles(path, { 'source/hidden.secret': 'hidden\n' });
    }),
    kept: { 'tree/source/hidden.secret': 'hidden\n', 'git/info/exclude': '*.secret\n' },
  },
  'a setting that hides a new file': {
    make: inTree(path => {
      const rules = join(tempDir(), 'rules');
      writeFileSync(rules, '*.secret\n');
      git(path, 'config', 'core.excludesFile', rules);
      writeFiles(path, { 'hidden.secret': 'hidden\n' });
    }),
    kept: { 'tree/hidden.secret': 'hidden\n', 'git/config': /excludesFile/i },
  },
  'a monitor that reports no change': {
    make: inTree((path, { gitDir }) => {
      const monitor = join(gitDir, 'monitor');
      writeFileSync(monitor, '#!/bin/sh\nprintf "token\\0"\n', { mode: 0o755 });
      git(path, 'config', 'core.fsmonitor', monitor);
      git(path, 'update-index', '--fsmonitor');
      writeFileSync(join(path, 'README.md'), 'HELLO\n');
    }),
    kept: { 'tree/README.md': 'HELLO\n', 'git/config': /fsmonitor/i },
  },
  'an index in two parts': {
    make: inTree(path => {
      git(path, 'update-index', '--split-index');
      writeFileSync(join(path, 'README.md'), 'HELLO\n');
    }),
    kept: { 'tree/README.md': 'HELLO\n' },
  },
  'a sparse checkout': {
    make: inTree(path => void git(path, 'sparse-checkout', 'set', '--no-cone', '/README.md')),
    kept: { 'git/info/sparse-checkout': '/README.md\n' },
  },
  'its own conversion, and files written with it': {
    make: inTree((path, { gitDir }) => {
      writeFiles(gitDir, { 'info/attributes': '*.txt text eol=crlf\n' });
      unlinkSync(join(path, 'source/one.txt'));
      git(path, 'checkout-index', '--force', 'source/one.txt');
    }),
    kept: { 'tree/source/one.txt': 'one\r\n' },
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
