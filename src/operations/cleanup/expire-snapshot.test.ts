import { expect, onTestFinished, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { makeWorkspaceSite } from '../../../test/helpers/workspace/workspace-site.js';
import type { App } from '../../app.js';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.js';
import { snapshotWorkspace } from '../snapshot/snapshot.js';
import { collectGarbage } from './gc.js';

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

interface Times {
  /** The clock's offset from the real time. */
  readonly clockMs?: number;
  readonly uptimeMs?: number;
  readonly boot?: string;
}

const at = (app: App, { clockMs = 0, uptimeMs = 0, boot = 'first' }: Times): App => ({
  ...app,
  now: () => Date.now() + clockMs,
  steadyTime: () => ({ boot, uptimeMs }),
});

async function makeSnapshot(times: Times = {}) {
  const { app, record } = await makeWorkspaceSite('worktree');
  const { repository, name } = record;
  const snapshot = await snapshotWorkspace(at(app, times), { repository, name });
  const gc = async (later: Times, trustClock = true) => {
    const input = { repository, execute: true, olderThanMs: 100 * YEAR_MS, trustClock };
    const { items } = await collectGarbage(at(app, later), input);
    return items.find(item => item.id === snapshot.id)?.outcome;
  };
  return { app, snapshot, gc };
}

test('a clock that is ahead removes nothing', async () => {
  const { app, gc } = await makeSnapshot();
  await expect(gc({ clockMs: 2 * YEAR_MS }, false)).rejects.toMatchObject({
    code: 'CLOCK_DISAGREES',
    message: expect.stringMatching(/the clock shows .* but the newest event was recorded at .* earlier/),
  });
  expect(await app.store.snapshots.list()).toHaveLength(1);
});

test('a clock that the user has trusted stays trusted, even after events from a wrong one', async () => {
  const { app, gc } = await makeSnapshot();
  const event = { type: 'recovery.done', repositoryId: null, workspaceId: null, data: {} } as const;
  const ahead = await openSqliteStore({ file: app.store.location, now: () => Date.now() + 2 * YEAR_MS });
  onTestFinished(() => ahead.close());
  await ahead.events.append([event]);
  await expect(gc({}, false)).rejects.toMatchObject({ code: 'CLOCK_DISAGREES' });
  expect(await gc({})).toBe('kept');
  await app.store.events.append([event]);
  expect(await gc({}, false)).toBe('kept');
});

thoroughTest('a clock that was set back removes nothing', async () => {
  const { gc } = await makeSnapshot();
  await expect(gc({ clockMs: -DAY_MS }, false)).rejects.toMatchObject({ code: 'CLOCK_DISAGREES' });
});

test('an expired snapshot is removed after one day of running time since it was marked', async () => {
  const { gc } = await makeSnapshot();
  const clockMs = 2 * YEAR_MS;
  expect(await gc({ clockMs, uptimeMs: 1000 })).toBe('kept');
  expect(await gc({ clockMs: clockMs + YEAR_MS, uptimeMs: 2000 })).toBe('kept');
  expect(await gc({ clockMs, uptimeMs: DAY_MS + 1000 })).toBe('removed');
});

thoroughTest('running time adds up over reboots', async () => {
  const { gc } = await makeSnapshot();
  const clockMs = 2 * YEAR_MS;
  expect(await gc({ clockMs, uptimeMs: 5 * DAY_MS })).toBe('kept');
  expect(await gc({ clockMs, boot: 'second', uptimeMs: 0.6 * DAY_MS })).toBe('kept');
  expect(await gc({ clockMs, boot: 'third', uptimeMs: 0.5 * DAY_MS })).toBe('removed');
});

thoroughTest('a corrected clock removes the mark', async () => {
  const { app, gc } = await makeSnapshot();
  expect(await gc({ clockMs: 2 * YEAR_MS })).toBe('kept');
  expect(await gc({})).toBe('kept');
  expect((await app.store.snapshots.list())[0]?.expiring).toBeUndefined();
  expect(await gc({ clockMs: 2 * YEAR_MS, uptimeMs: 2 * DAY_MS })).toBe('kept');
});

test('a snapshot that was taken while the clock was years behind is kept for its full time', async () => {
  const { snapshot, gc } = await makeSnapshot({ clockMs: -5 * YEAR_MS });
  expect(Date.parse(snapshot.expiresAt)).toBeGreaterThan(Date.now() + 29 * DAY_MS);
  expect(await gc({}, false)).toBe('kept');
});
