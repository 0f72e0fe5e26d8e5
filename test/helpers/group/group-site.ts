import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JournalKind } from '../../../src/domain/journal.js';
import type { Workspace, WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { type Carrel, createCarrel } from '../carrel.js';
import { fingerprint } from '../fingerprint.js';
import { findLeftovers } from '../leftovers.js';
import { type Records, readRecords } from '../records.js';
import { git, makeRepository } from '../repository.js';
import { tempDir } from '../temp.js';

export const ALIASES = ['app', 'web', 'api'] as const;
export type Alias = (typeof ALIASES)[number];

/** Three repositories beside each other, with their own Carrel; `app` is the one that workspaces are created in. */
export interface GroupSite {
  readonly carrel: Carrel;
  readonly repositories: Readonly<Record<Alias, string>>;
  /** Runs a command in `app` that must succeed. */
  ok(...args: string[]): string;
  /** Creates a workspace in all three and returns where its parts are. */
  up(name?: string): Readonly<Record<Alias, string>>;
  /** Runs a command in `app` that kills itself at a step; `#2` is the second time. */
  killAt(moment: `${JournalKind}:${string}`, ...args: string[]): void;
  /** The workspaces after a command has recovered; fails when anything but `expected` is left over in any repository. */
  settle(expected?: RegExp): WorkspaceDetails[];
  fingerprints(): Record<Alias, Record<string, string>>;
  /** Where `main` is. */
  tips(): Record<Alias, string>;
}

const UP = ['--with-repository', '../web', '--with-repository', '../api'];

export function makeGroupSite(extra: Readonly<Record<string, string>> = {}): GroupSite {
  const home = tempDir();
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  const at = (alias: Alias) =>
    makeRepository({ 'README.md': `${alias}\n`, '.gitignore': '*.log\n' }, join(home, 'src', alias));
  mkdirSync(join(home, 'src'));
  const repositories = { app: at('app'), web: at('web'), api: at('api') };
  const carrel = createCarrel(home, { ...extra, TMPDIR: temporary });
  const each = <T>(read: (alias: Alias) => T) =>
    Object.fromEntries(ALIASES.map(alias => [alias, read(alias)])) as Record<Alias, T>;
  const ok = (...args: string[]) => carrel.ok(repositories.app, ...args);
  return {
    carrel,
    repositories,
    ok,
    up: (name = 'login') => {
      const made = carrel.json<Workspace>(repositories.app, 'up', name, ...UP);
      return each(alias => made.repositories?.find(part => part.alias === alias)?.path ?? '');
    },
    killAt: (moment, ...args) => {
      const [first, ...rest] = args;
      const all = first === 'up' ? ['up', ...rest, ...UP] : args;
      const outcome = carrel.runWith({ CARREL_TEST_KILL_AT: moment }, repositories.app, ...all);
      expect(outcome, `carrel ${all.join(' ')} at ${moment}`).toMatchObject({ signal: 'SIGKILL' });
    },
    settle: (expected = /^$/) => {
      const workspaces = carrel.json<WorkspaceDetails[]>(repositories.app, 'ls', '--all');
      const records = readRecords(carrel.stateDir);
      for (const alias of ALIASES) {
        const repository = repositories[alias];
        const found = findLeftovers({ carrel, repository, temporary }, recordsOf(records, repository));
        // The folders and sandboxes of the other parts.
        const paths = records.workspaces.flatMap(({ id, path }) => [`folder: ${path}`, `sandbox: ${id}`]);
        expect(
          found.filter(line => !paths.includes(line) && !expected.test(line)),
          alias,
        ).toEqual([]);
      }
      return workspaces;
    },
    fingerprints: () => each(alias => fingerprint(repositories[alias])),
    tips: () => each(alias => git(repositories[alias], 'rev-parse', 'main')),
  };
}

function recordsOf(records: Records, repository: string): Records {
  const workspaces = records.workspaces.filter(record => record.repository === repository);
  const ids = new Set(records.workspaces.map(({ id }) => id));
  const own = new Set(workspaces.map(({ id }) => id));
  return {
    ...records,
    workspaces,
    snapshots: records.snapshots.filter(snapshot => snapshot.repository === repository),
    ports: records.ports.filter(port => own.has(port.workspace_id) || !ids.has(port.workspace_id)),
  };
}
