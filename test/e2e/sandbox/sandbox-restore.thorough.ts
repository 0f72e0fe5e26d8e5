import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { writeFiles } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

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

const configure = (fixture: Fixture, config: string): void =>
  writeFiles(fixture.carrel.home, { 'config/carrel/config.yaml': config });

const without = () => ({ PATH: pathWithout('bwrap', 'podman', 'docker') });

const inside = (fixture: Fixture, script: string) => fixture.run('exec', 'a', '--', 'sh', '-c', script);

function putAway(fixture: Fixture): void {
  inside(fixture, 'echo dirty > dirty.txt; git branch side');
  fixture.ok('down', 'a', '--discard-changes', '--discard-commits');
}

test('a restored sandbox keeps its settings, whatever the configuration says now', () => {
  const fixture = makeFixture({ config: CONFIG, up: TIGHT });
  const made = fixture.carrel.json<Workspace>(fixture.repository, 'show', 'a').sandbox;
  expect(made).toMatchObject({ network: 'none', limits: { pids: 77 } });
  putAway(fixture);
  expect(fixture.carrel.json<Snapshot[]>(fixture.repository, 'snapshots')).toMatchObject([
    { isolation: 'full', sandbox: made },
  ]);
  configure(
    fixture,
    'sandbox:\n  runtime: bubblewrap\n  network: full\n  git: surgical\n  passEnvironment: [SECRET]\n',
  );
  const restored = fixture.carrel.json<Workspace>(fixture.repository, 'restore', 'a');
  expect(restored).toMatchObject({ runtime: 'bubblewrap', isolation: { effective: 'full' } });
  expect(restored.warnings.join()).not.toContain('sandbox.');
  expect(restored.sandbox).toEqual(made);
  expect(inside(fixture, 'cat dirty.txt; git branch --list side').stdout).toBe('dirty\n  side\n');
  putAway(fixture);
  expect(fixture.carrel.json<Workspace>(fixture.repository, 'restore', 'a').sandbox).toEqual(made);
});

test.each([
  ['with --strict', [...TIGHT, '--strict'], CONFIG],
  ['where the configuration said fail', TIGHT, `${CONFIG}isolation:\n  onUnavailable: fail\n`],
])('what was made %s is never restored without a sandbox', (_, up, config) => {
  const fixture = makeFixture({ config, up });
  putAway(fixture);
  configure(fixture, 'isolation:\n  onUnavailable: degrade\n');
  const refused = fixture.carrel.runWith(without(), fixture.repository, 'restore', 'a', '--json');
  expect(refused.status).toBe(4);
  expect(JSON.parse(refused.stdout).error.code).toBe('ISOLATION_UNAVAILABLE');
  expect(existsSync(fixture.path)).toBe(false);
  expect(fixture.ok('ls', '--json')).toBe('[]');
  fixture.ok('restore', 'a');
  expect(inside(fixture, 'cat dirty.txt').stdout).toBe('dirty\n');
  // It is as strict as before, so what is taken of it is too.
  putAway(fixture);
  expect(fixture.carrel.runWith(without(), fixture.repository, 'restore', 'a').status).toBe(4);
});

test('where the user allows less isolation it falls back, and reports what stays in the snapshot', () => {
  const fixture = makeFixture({ config: CONFIG, up: TIGHT });
  putAway(fixture);
  expect(fixture.carrel.runWith(without(), fixture.repository, 'restore', 'a').status).toBe(4);
  configure(fixture, `${CONFIG}isolation:\n  onUnavailable: degrade\n`);
  const fallen = fixture.carrel.runWith(without(), fixture.repository, 'restore', 'a', '--json');
  const { isolation, warnings, sandbox, path } = JSON.parse(fallen.stdout) as Workspace;
  expect(isolation).toMatchObject({ requested: 'full', effective: 'worktree' });
  expect(sandbox).toBeUndefined();
  expect(existsSync(join(path, 'dirty.txt'))).toBe(true);
  const [snapshot] = fixture.carrel.json<Snapshot[]>(fixture.repository, 'snapshots');
  expect(warnings).toEqual([
    expect.stringContaining('isolation full was requested, using worktree instead'),
    `the private git directory (with other branches and stashes) and home of the sandbox stayed in ${snapshot?.id}; where a sandbox is available, restore it with: carrel restore ${snapshot?.id} --as NAME`,
  ]);
  fixture.ok('restore', snapshot?.id as string, '--as', 'b');
  const side = fixture.run('exec', 'b', '--', 'git', 'branch', '--list', 'side');
  expect(side.stdout).toBe('  side\n');
});

test('and is refused when the configuration refuses by now', () => {
  const fixture = makeFixture({ config: CONFIG, up: TIGHT });
  putAway(fixture);
  configure(fixture, 'isolation:\n  onUnavailable: fail\n');
  expect(fixture.carrel.runWith(without(), fixture.repository, 'restore', 'a').status).toBe(4);
});
