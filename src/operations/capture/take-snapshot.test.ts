import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { listFiles } from '../../../test/helpers/git/round-trip.js';
import { writeFiles } from '../../../test/helpers/repository.js';
import { makeWorkSite } from '../../../test/helpers/task/work-site.js';
import type { Context } from '../context.js';
import { removeWorkspace } from '../removal/down.js';
import { snapshotWorkspace } from '../snapshot/snapshot.js';

/** A workspace with an ignored file, so that a capture reaches the step `kept` when it has read the files. */
async function makeSite() {
  const { app, repository, up } = await makeWorkSite();
  const record = await up('a');
  writeFiles(record.path, { 'new.log': 'ignored\n' });
  const messages: string[] = [];
  /** Carrel with a program that runs each time the files are captured. */
  const beside = (action: () => void): Context => ({
    ...app,
    narrate: line => messages.push(line),
    onStep: (_, step) => step === 'kept' && action(),
  });
  return { app, record, beside, told: messages, query: { repository, name: 'a' } };
}

describe('a snapshot of files that are being written', () => {
  thoroughTest('reports which ones kept changing, and so does its record', async () => {
    const { app, record, beside, told, query } = await makeSite();
    let times = 0;
    const context = beside(() => writeFiles(record.path, { 'log.txt': `${++times}\n` }));
    const snapshot = await snapshotWorkspace(context, query);
    expect(snapshot.changing).toMatchObject({ count: 1, paths: ['log.txt'] });
    expect(told).toEqual([
      `warning: 1 file changed while the snapshot was taken: log.txt; it holds them as they were at ${snapshot.changing?.at}`,
    ]);
    expect(await app.store.snapshots.find(snapshot.id)).toEqual(snapshot);
  });

  it('is not kept when they are deleted during it', async () => {
    const { app, record, beside, query } = await makeSite();
    const context = beside(() => rmSync(record.path, { recursive: true }));
    await expect(snapshotWorkspace(context, query)).rejects.toMatchObject({ code: 'SNAPSHOT_FILES_GONE' });
    expect(await app.store.snapshots.list()).toEqual([]);
    expect(await app.store.journal.list()).toEqual([]);
  });
});

describe('the removal of files that are being written', () => {
  it('is refused, and nothing is changed', async () => {
    const { app, record, beside, query } = await makeSite();
    const aside = app.backends.git.removal.asideOf(record);
    let times = 0;
    const context = beside(() => writeFiles(aside, { 'new.log': `${++times}\n` }));
    await expect(removeWorkspace(context, { ...query, accepted: {} })).rejects.toMatchObject({
      code: 'WORKSPACE_BUSY',
      message: 'the workspace a is busy (in use: new.log being written); expected it to be ready',
    });
    expect(Object.keys(listFiles(record.path))).toEqual(['', '.gitignore', 'new.log', 'one.txt']);
    expect(await app.store.snapshots.list()).toEqual([]);
    expect(await app.store.workspaces.find(record.id)).toMatchObject({ status: 'ready' });
    expect(await app.store.journal.list()).toEqual([]);
  });

  thoroughTest('continues with --discard-changes, and reports it', async () => {
    const { record, app, beside, told, query } = await makeSite();
    const aside = app.backends.git.removal.asideOf(record);
    let times = 0;
    const context = beside(() => writeFiles(aside, { 'new.log': `${++times}\n` }));
    const removed = await removeWorkspace(context, { ...query, accepted: { discardChanges: true } });
    expect(removed.snapshot).toMatch(/^snap_/);
    expect(told).toEqual([expect.stringContaining('1 file changed while the snapshot was taken: new.log')]);
  });
});
