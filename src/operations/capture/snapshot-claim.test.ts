import { describe, expect, it } from 'vitest';
import { makeGate, stopAt } from '../../../test/helpers/crash/stop-at.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { listFiles } from '../../../test/helpers/git/round-trip.js';
import { writeFiles } from '../../../test/helpers/repository.js';
import { makeWorkSite } from '../../../test/helpers/task/work-site.js';
import type { App } from '../../app.js';
import { isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { removeWorkspace } from '../removal/down.js';
import { restoreSnapshot } from '../snapshot/restore.js';
import { snapshotWorkspace } from '../snapshot/snapshot.js';
import { unlessSnapshotted } from './snapshot-claim.js';

/** A Carrel that read the records before another process changed them. */
function withStaleList(app: App): App {
  const { workspaces } = app.store;
  const list: typeof workspaces.list = async filter =>
    (stale ??= (await workspaces.list(filter)).map(record => ({ ...record, status: 'ready' as const })));
  let stale: WorkspaceRecord[] | undefined;
  return { ...app, store: { ...app.store, workspaces: { ...workspaces, list } } };
}

function requireBusy(error: unknown): void {
  if (!isCarrelError(error, 'WORKSPACE_BUSY')) throw error;
}

const accepted = { discardChanges: true, discardCommits: true };

describe('a snapshot during a removal', () => {
  it('holds every file, and the removal waits for it', async () => {
    const { app, repository, up } = await makeWorkSite();
    const { path } = await up('a');
    writeFiles(path, { 'new/one.txt': 'one\n', 'new/two.txt': 'two\n', 'three.log': 'ignored\n' });
    const files = listFiles(path);
    const snapshot = stopAt(app, 'snapshot', 'recorded');
    const taking = snapshotWorkspace(snapshot.app, { repository, name: 'a' });
    await snapshot.reached;
    const down = stopAt(app, 'down', 'set-aside');
    const { promise: waits, resolve: narrate } = makeGate();
    const removing = removeWorkspace(
      { ...down.app, narrate: () => narrate() },
      { repository, name: 'a', accepted },
    );
    await Promise.race([down.reached, waits]);
    snapshot.letGo();
    const { id } = await taking;
    down.letGo();
    // On a busy machine a snapshot may take longer than a removal waits.
    await removing.catch(requireBusy);
    const restored = await restoreSnapshot(app, { repository, snapshot: id, as: 'b' });
    expect(listFiles(restored.path)).toEqual(files);
  });

  it('is not started, with the reason', async () => {
    const { app, repository, up } = await makeWorkSite();
    await up('a');
    const down = stopAt(app, 'down', 'recorded');
    const removing = removeWorkspace(down.app, { repository, name: 'a', accepted });
    await down.reached;
    // The record at the time of the request does not count.
    const stale = withStaleList(app);
    await expect(snapshotWorkspace(stale, { repository, name: 'a' })).rejects.toMatchObject({
      code: 'WORKSPACE_BUSY',
      details: { status: 'removing' },
    });
    down.letGo();
    await removing;
    await expect(snapshotWorkspace(stale, { repository, name: 'a' })).rejects.toMatchObject({
      code: 'WORKSPACE_NOT_FOUND',
    });
    expect(await app.store.journal.list()).toEqual([]);
  });

  thoroughTest('makes a removal fail after a timeout, while other snapshots are taken', async () => {
    const { app, repository, up } = await makeWorkSite();
    const record = await up('a');
    writeFiles(record.path, { 'new.txt': 'new\n' });
    const snapshot = stopAt(app, 'snapshot', 'recorded');
    const taking = snapshotWorkspace(snapshot.app, { repository, name: 'a' });
    await snapshot.reached;
    const beside = await snapshotWorkspace(app, { repository, name: 'a' });
    const changes: string[] = [];
    const claiming = unlessSnapshotted(app, record, async () => changes.push('claimed'), { patienceMs: 0 });
    await expect(claiming).rejects.toMatchObject({
      code: 'WORKSPACE_BUSY',
      message: expect.stringContaining('a snapshot is being taken'),
    });
    expect(changes).toEqual([]);
    snapshot.letGo();
    expect(await taking).toMatchObject({ files: beside.files });
    expect(await app.store.journal.list()).toEqual([]);
    expect(await removeWorkspace(app, { repository, name: 'a', accepted })).toMatchObject({ name: 'a' });
  });

  it('does not block it when its process is dead', async () => {
    const { app, repository, up } = await makeWorkSite();
    const { id, repositoryId } = await up('a');
    const owner = { ...app.self, startedAt: 'another time' };
    const startedAt = new Date(app.now()).toISOString();
    const data = { snapshotId: 'snap_dead' };
    const entry = { id: 'op_dead', kind: 'snapshot', step: 'recorded', workspaceId: id } as const;
    await app.store.journal.begin({ ...entry, repositoryId, data, owner, startedAt });
    const messages: string[] = [];
    await removeWorkspace(
      { ...app, narrate: line => messages.push(line) },
      { repository, name: 'a', accepted },
    );
    expect(messages).toEqual([]);
  });
});
