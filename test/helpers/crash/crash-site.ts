import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JournalKind } from '../../../src/domain/journal.js';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../carrel.js';
import { hashTree } from '../fingerprint.js';
import { findLeftovers, type Surroundings } from '../leftovers.js';
import { commitFiles, git, makeRepository, writeFiles } from '../repository.js';
import { tempDir } from '../temp.js';

/** A repository with its own Carrel and temporary directory, for crash tests. */
export interface CrashSite extends Surroundings {
  /** Runs a command that ends itself by SIGKILL at a step; fails when it never gets there. */
  killAt(moment: `${JournalKind | 'settle'}:${string}`, ...args: string[]): void;
  /** What the next command finds; fails, with `moment` in the message, when anything is left over after it. */
  settle(moment?: string): WorkspaceDetails[];
  /** Runs a command that must succeed. */
  ok(...args: string[]): string;
}

export function makeCrashSite(extra: Readonly<Record<string, string>> = {}): CrashSite {
  const home = tempDir();
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  const repository = makeRepository({
    'README.md': 'hello\n',
    'source/one.txt': 'one\n',
    'source/two.txt': 'two\n',
    '.gitignore': '*.log\n.env\n',
    '.worktreeinclude': '.env\n',
  });
  writeFiles(repository, { '.env': 'SECRET=1\n' });
  const carrel = createCarrel(home, { ...extra, TMPDIR: temporary });
  const site = { repository, carrel, temporary };
  return {
    ...site,
    killAt: (moment, ...args) => {
      const outcome = carrel.runWith({ CARREL_TEST_KILL_AT: moment }, repository, ...args);
      expect(outcome, `carrel ${args.join(' ')} at ${moment}`).toMatchObject({ signal: 'SIGKILL' });
    },
    settle: moment => {
      const workspaces = carrel.json<WorkspaceDetails[]>(repository, 'ls');
      expect(findLeftovers(site), moment).toEqual([]);
      return workspaces;
    },
    ok: (...args) => carrel.ok(repository, ...args),
  };
}

/** Work of a user in a workspace. */
export interface Work {
  /** The files are named after it. */
  readonly label: string;
  readonly path: string;
  /** Of all files in it, with their modes. */
  readonly hash: string;
  readonly commit: string;
}

/** Work of every kind: committed, staged, changed, deleted, untracked, executable, ignored. */
export function workIn(path: string, label = 'work'): Work {
  const commit = commitFiles(path, { [`${label}.txt`]: `${label}\n` }, label);
  writeFiles(path, { 'source/one.txt': 'staged\n' });
  git(path, 'add', 'source/one.txt');
  writeFiles(path, {
    'source/one.txt': 'and changed again\n',
    [`${label}/deep/new.bin`]: Buffer.from([0, 255, 10, 13, 0]),
    [`${label}/run.sh`]: '#!/bin/sh\n',
    [`${label}.log`]: 'ignored, and still worth keeping\n',
  });
  chmodSync(join(path, `${label}/run.sh`), 0o755);
  git(path, 'rm', '--quiet', '--cached', 'source/two.txt');
  return { label, path, hash: hashFiles(path), commit };
}

/** All files of a workspace but the link to its repository. */
export const hashFiles = (path: string): string => hashTree(path, new Set(['.git']));

/** Whether some ref of the repository still leads to the commit. */
export function isHeld(repository: string, commit: string): boolean {
  return git(repository, 'for-each-ref', '--count=1', '--contains', commit) !== '';
}
