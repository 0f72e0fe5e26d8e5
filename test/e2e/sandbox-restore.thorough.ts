import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Snapshot } from '../../src/domain/snapshot.js';
import type { Workspace } from '../../src/domain/workspace.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { writeFiles } from '../helpers/repository.js';
import { pathWithout, requireBubblewrap } from '../helpers/sandboxed.js';

// A workspace comes back with what stood around it when it was made, or not at all.

beforeEach(requireBubblewrap);

const CONFIG = `sandbox:
  runtime: bubblewrap
  network: full
templates:
  tight:
    isolation: full
    network: none
    limits: {pids: 77}
`;

const TIGHT = ['--template', 'tight'];

const configure = (desk: Desk, config: string): void =>
  writeFiles(desk.carrel.home, { 'config/carrel/config.yaml': config });

const without = () => ({ PATH: pathWithout('bwrap', 'podman', 'docker') });

const inside = (desk: Desk, script: string) => desk.run('exec', 'a', '--', 'sh', '-c', script);

function putAway(desk: Desk): void {
  inside(desk, 'echo dirty > dirty.txt; git branch side');
  desk.ok('down', 'a', '--discard-changes', '--discard-commits');
}

test('a restored sandbox is the one that was made, whatever the configuration says by now', () => {
  const desk = makeDesk({ config: CONFIG, up: TIGHT });
  const made = desk.carrel.json<Workspace>(desk.repository, 'show', 'a').sandbox;
  expect(made).toMatchObject({ network: 'none', limits: { pids: 77 } });
  putAway(desk);
  expect(desk.carrel.json<Snapshot[]>(desk.repository, 'snapshots')).toMatchObject([
    { isolation: 'full', sandbox: made },
  ]);
  configure(
    desk,
    'sandbox:\n  runtime: bubblewrap\n  network: full\n  git: surgical\n  passEnvironment: [SECRET]\n',
  );
  const restored = desk.carrel.json<Workspace>(desk.repository, 'restore', 'a');
  expect(restored).toMatchObject({ runtime: 'bubblewrap', isolation: { effective: 'full' } });
  expect(restored.warnings.join()).not.toContain('sandbox.');
  expect(restored.sandbox).toEqual(made);
  expect(inside(desk, 'cat dirty.txt; git branch --list side').stdout).toBe('dirty\n  side\n');
  putAway(desk);
  expect(desk.carrel.json<Workspace>(desk.repository, 'restore', 'a').sandbox).toEqual(made);
});

test.each([
  ['with --strict', [...TIGHT, '--strict'], CONFIG],
  ['where the configuration said fail', TIGHT, `${CONFIG}isolation:\n  onUnavailable: fail\n`],
])('what was made %s is never restored without a sandbox', (_, up, config) => {
  const desk = makeDesk({ config, up });
  putAway(desk);
  configure(desk, 'isolation:\n  onUnavailable: degrade\n');
  const refused = desk.carrel.runWith(without(), desk.repository, 'restore', 'a', '--json');
  expect(refused.status).toBe(4);
  expect(JSON.parse(refused.stdout).error.code).toBe('ISOLATION_UNAVAILABLE');
  expect(existsSync(desk.path)).toBe(false);
  expect(desk.ok('ls', '--json')).toBe('[]');
  desk.ok('restore', 'a');
  expect(inside(desk, 'cat dirty.txt').stdout).toBe('dirty\n');
  // It is as strict as before, so what is taken of it is too.
  putAway(desk);
  expect(desk.carrel.runWith(without(), desk.repository, 'restore', 'a').status).toBe(4);
});

test('what may fall back does so with a word on what stays in the snapshot', () => {
  const desk = makeDesk({ config: CONFIG, up: TIGHT });
  putAway(desk);
  const fallen = desk.carrel.runWith(without(), desk.repository, 'restore', 'a', '--json');
  const { isolation, warnings, sandbox, path } = JSON.parse(fallen.stdout) as Workspace;
  expect(isolation).toMatchObject({ requested: 'full', effective: 'worktree' });
  expect(sandbox).toBeUndefined();
  expect(existsSync(join(path, 'dirty.txt'))).toBe(true);
  const [snapshot] = desk.carrel.json<Snapshot[]>(desk.repository, 'snapshots');
  expect(warnings).toEqual([
    expect.stringContaining('isolation full was asked for, this is worktree'),
    `the private git directory (with other branches and stashes) and home of the sandbox stayed in ${snapshot?.id}; where a sandbox can be had: carrel restore ${snapshot?.id} --as NAME`,
  ]);
  desk.ok('restore', snapshot?.id as string, '--as', 'b');
  const side = desk.run('exec', 'b', '--', 'git', 'branch', '--list', 'side');
  expect(side.stdout).toBe('  side\n');
});

test('and is refused when the configuration refuses by now', () => {
  const desk = makeDesk({ config: CONFIG, up: TIGHT });
  putAway(desk);
  configure(desk, 'isolation:\n  onUnavailable: fail\n');
  expect(desk.carrel.runWith(without(), desk.repository, 'restore', 'a').status).toBe(4);
});
