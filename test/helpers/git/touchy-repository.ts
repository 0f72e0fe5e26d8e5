import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitFiles, git, makeRepository, writeFiles } from '../repository.js';
import { tempDir } from '../temp.js';

/** A repository in daily use, in which every program that git can be configured to run leaves a mark. */
export interface TouchyRepository {
  readonly path: string;
  /** Names of the programs that ran since the last call. */
  takeMarks(): string[];
}

export function makeTouchyRepository(): TouchyRepository {
  const path = makeRepository({
    'README.md': 'hello\n',
    'source/one.txt': 'one\n',
    'source/two.txt': 'two\n',
    '.gitignore': '*.log\n',
  });
  commitFiles(path, { 'source/three.txt': 'three\n' }, 'second');
  git(path, 'tag', '-a', 'v1', '-m', 'one');
  git(path, 'branch', 'other', 'HEAD~1');
  git(path, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
  leaveWork(path);
  const marks = join(tempDir(), 'marks');
  mkdirSync(marks);
  installMarks(path, marks);
  return { path, takeMarks: () => takeMarks(marks) };
}

/** A stash, staged, unstaged and untracked changes, ignored files, and an index that git would like to refresh. */
function leaveWork(path: string): void {
  writeFiles(path, { 'README.md': 'stashed\n', 'stashed.txt': 'stashed\n' });
  git(path, 'stash', 'push', '--quiet', '--include-untracked');
  writeFiles(path, { 'README.md': 'staged\n', 'added.txt': 'added\n' });
  git(path, 'add', '--all');
  writeFiles(path, { 'README.md': 'edited\n', 'new.txt': 'new\n', 'debug.log': 'log\n' });
  rmSync(join(path, 'source/two.txt'));
  utimesSync(join(path, 'source/one.txt'), 1_000_000_000, 1_000_000_000);
}

const HOOKS = [
  ...[
    'applypatch-msg',
    'commit-msg',
    'fsmonitor-watchman',
    'post-applypatch',
    'post-checkout',
    'post-commit',
  ],
  ...['post-index-change', 'post-merge', 'post-rewrite', 'pre-applypatch', 'pre-auto-gc', 'pre-commit'],
  ...['pre-merge-commit', 'pre-rebase', 'prepare-commit-msg', 'reference-transaction', 'sendemail-validate'],
];

const PROGRAMS = [
  'core.fsmonitor',
  'core.editor',
  'core.pager',
  'core.askPass',
  'diff.external',
  'gpg.program',
];

function installMarks(path: string, marks: string): void {
  const script = (name: string) => `#!/bin/sh\ntouch '${join(marks, name)}'\nexit 1\n`;
  const install = (file: string, name: string) => writeFileSync(file, script(name), { mode: 0o755 });
  mkdirSync(join(path, '.git/hooks'), { recursive: true });
  for (const hook of HOOKS) install(join(path, '.git/hooks', hook), hook);
  for (const program of PROGRAMS) {
    const file = join(path, '.git', `mark-${program}`);
    install(file, program);
    git(path, 'config', program, file);
  }
  git(path, 'config', 'commit.gpgSign', 'true');
  git(path, 'config', 'gc.auto', '1');
  git(path, 'config', 'status.showUntrackedFiles', 'no');
}

function takeMarks(marks: string): string[] {
  const names = readdirSync(marks).sort();
  for (const name of names) rmSync(join(marks, name));
  return names;
}
