import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jj } from '../../helpers/git/jj.js';
import { commitFiles, git, writeFiles } from '../../helpers/repository.js';
import type { MachineShape } from './machine.js';

/** The content of `.env`, which is brought into every workspace. */
export const USER_SECRET = 'SECRET=1\n';

const IGNORED = '*.log\n.env\nnode_modules/\nbuild/\n';

const FILES = {
  'README.md': 'hello\n',
  'source/one.txt': 'one\n',
  'source/two.txt': 'two\n',
  'source/deep/three.txt': 'three\n',
  'run.sh': '#!/bin/sh\n',
  'with space.txt': 'space\n',
  'ünïcode.txt': 'unicode\n',
  'crlf.txt': 'a\r\nb\r\n',
  '.gitignore': IGNORED,
  '.worktreeinclude': '.env\n',
  '.carrel/workflows/work.yaml': JSON.stringify({
    ...{ name: 'work', description: 'One stage', isolation: 'worktree' },
    stages: [{ name: 'only', agent: 'scripted' }],
  }),
};

/** With changes of the user's own of every kind, which nothing but `land` may ever touch. */
export function makeUserCheckout(path: string, shape: MachineShape): string {
  mkdirSync(path, { recursive: true });
  git(path, 'init', '--quiet', '--initial-branch=main');
  git(path, 'config', 'gc.auto', '0');
  commitFiles(path, FILES, 'first');
  chmodSync(join(path, 'run.sh'), 0o755);
  commitFiles(path, { 'source/two.txt': 'two\nand more\n' }, 'second');
  git(path, 'branch', 'other', 'HEAD~1');
  if (shape.vcs === 'jj') {
    jj(path, 'git', 'init', '--colocate');
    // The first change of jj's writes the index anew, with the same files.
    jj(path, 'new', 'main');
    return path;
  }
  if (shape.isSparse) git(path, 'sparse-checkout', 'set', 'source', '.carrel');
  writeFiles(path, { '.env': USER_SECRET, 'mine.txt': 'of the user\n', 'source/one.txt': 'staged\n' });
  git(path, 'add', 'source/one.txt');
  writeFileSync(join(path, 'source/one.txt'), 'and changed again\n');
  return path;
}
