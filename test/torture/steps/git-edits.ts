import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editUnseen, editWithinTheSecond } from '../../helpers/git/unseen-edit.js';
import { git } from '../../helpers/repository.js';
import type { SeededRandom } from '../../helpers/seeded-random.js';
import type { Edit } from './edits.js';

/** What is done with git in a worktree. */
export const gitEdits = {
  stage: path => void git(path, 'add', '--all'),
  unstage: path => void git(path, 'reset', '--quiet'),
  commit: (path, random) => commitAll(path, `work ${random.next()}`),
  'commit-staged': (path, random) => {
    writeFileSync(join(path, 'staged.txt'), `${random.next()}\n`);
    git(path, 'add', 'staged.txt');
    git(path, '-c', 'maintenance.auto=false', 'commit', '--quiet', '-m', 'staged');
  },
  amend: (path, random) => {
    writeFileSync(join(path, 'amended.txt'), `${random.next()}\n`);
    git(path, 'add', 'amended.txt');
    git(
      path,
      '-c',
      'maintenance.auto=false',
      'commit',
      '--quiet',
      '--amend',
      '-m',
      `amended ${random.next()}`,
    );
  },
  rename: path => void git(path, 'mv', 'source/one.txt', 'source/renamed.txt'),
  'remove-cached': path => void git(path, 'rm', '--quiet', '--cached', 'README.md'),
  'intent-to-add': path => {
    writeFileSync(join(path, 'intended.txt'), 'intended\n');
    git(path, 'add', '--intent-to-add', 'intended.txt');
  },
  'staged-and-changed': path => {
    writeFileSync(join(path, 'README.md'), 'staged\n');
    git(path, 'add', 'README.md');
    writeFileSync(join(path, 'README.md'), 'and changed again\n');
  },
  // Of the same size, with the old time: what git takes for unchanged.
  unseen: (path, random) => editUnseen(path, 'README.md', otherwise(path, 'README.md', random)),
  'within-the-second': (path, random) =>
    editWithinTheSecond(path, 'run.sh', otherwise(path, 'run.sh', random)),
  'assume-unchanged': path => {
    git(path, 'update-index', '--assume-unchanged', 'crlf.txt');
    writeFileSync(join(path, 'crlf.txt'), 'assumed\n');
  },
  'skip-worktree': path => {
    git(path, 'update-index', '--skip-worktree', 'with space.txt');
    writeFileSync(join(path, 'with space.txt'), 'skipped\n');
  },
  detach: path => void git(path, 'checkout', '--quiet', '--detach'),
  orphan: path =>
    void git(path, 'reset', '--quiet', '--soft', git(path, 'commit-tree', '-m', 'orphan', 'HEAD^{tree}')),
  nested: (path, random) => {
    const folder = join(path, `nested-${Math.floor(random.next() * 2)}`);
    mkdirSync(folder, { recursive: true });
    if (!existsSync(join(folder, '.git'))) git(folder, 'init', '--quiet', '--initial-branch=main');
    writeFileSync(join(folder, 'inner.txt'), `${random.next()}\n`);
    commitAll(folder, 'nested');
    writeFileSync(join(folder, 'uncommitted.txt'), 'uncommitted\n');
  },
  merge: path => beginOperation(path, 'merge'),
  rebase: path => beginOperation(path, 'rebase'),
  'cherry-pick': path => beginOperation(path, 'cherry-pick'),
} satisfies Record<string, Edit>;

/** A commit of everything, as a user makes one. */
export function commitAll(path: string, message: string): void {
  git(path, 'add', '--all');
  git(path, '-c', 'maintenance.auto=false', 'commit', '--quiet', '--no-verify', '-m', message);
}

/** A file of the same size with other bytes. */
function otherwise(path: string, name: string, random: SeededRandom): string {
  const { length } = readFileSync(join(path, name));
  return Array.from({ length }, () => random.pick([...'abcdefgh'])).join('');
}

/** Two sides change one file; what brings them together stops at the conflict. */
function beginOperation(path: string, operation: 'merge' | 'rebase' | 'cherry-pick'): void {
  const commit = (text: string) => {
    writeFileSync(join(path, 'conflict.txt'), text);
    git(path, 'add', '--force', 'conflict.txt');
    git(path, '-c', 'maintenance.auto=false', 'commit', '--quiet', '-m', text);
    return git(path, 'rev-parse', 'HEAD');
  };
  const start = git(path, 'rev-parse', 'HEAD');
  const theirs = commit('theirs\n');
  git(path, 'reset', '--quiet', '--soft', start);
  git(path, 'reset', '--quiet', 'conflict.txt');
  commit('ours\n');
  try {
    git(path, operation, theirs);
  } catch {
    // It stops at the conflict.
  }
}
