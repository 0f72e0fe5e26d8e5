import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { Snapshotting } from '../backend.js';
import {
  type ContractSetup,
  type ContractSubject,
  create,
  createWorkspace,
  makeEveryKindOfChange,
  OWNS_NO_FILES,
  recordSuccessor,
} from './backend-subject.js';
import { readPatchable, readTree } from './file-tree.js';

const NO_SNAPSHOTS = 'it takes no snapshots';

export function snapshotContract(setup: ContractSetup): void {
  test('a snapshot is complete when it is taken, and unknown once it is released', async ({ skip }) => {
    const subject = await createWorkspace(setup);
    const { snapshots } = subject.backend;
    if (!snapshots) return skip(NO_SNAPSHOTS);
    makeEveryKindOfChange(subject.path);
    const before = readTree(subject.path);
    const snapshot = await capture(subject, snapshots);
    expect(readTree(subject.path)).toEqual(before);
    expect(await snapshots.verify(snapshot)).toBe(snapshot.commit);
    expect(snapshot.files).toBeGreaterThan(0);
    await snapshots.release(snapshot);
    await snapshots.release(snapshot);
    expect(await snapshots.verify(snapshot)).toBeUndefined();
  });

  test('a deleted workspace is restored from its snapshot, byte for byte', async ({ skip }) => {
    const subject = await createWorkspace(setup);
    const { backend, record, path } = subject;
    const { snapshots, removal } = backend;
    if (!snapshots) return skip(NO_SNAPSHOTS);
    skip(!backend.ownsFiles, OWNS_NO_FILES);
    makeEveryKindOfChange(path);
    mkdirSync(join(path, 'empty/directory'), { recursive: true });
    chmodSync(join(path, 'new/empty'), 0o600);
    const before = readTree(path);
    await removal.setAside(record);
    const snapshot = await capture(subject, snapshots, removal.asideOf(record));
    await removal.unregister(record, { discardChanges: true, discardCommits: true }, null);
    await removal.destroy(record);
    expect(await snapshots.verify(snapshot)).toBe(snapshot.commit);
    const restored = await recordSuccessor(subject);
    await create(restored, { from: snapshot });
    expect(readTree(path)).toEqual(before);
    await expectSameDiff(restored);
  });
}

/** Earlier changes are still changes, not part of the base. */
async function expectSameDiff({ backend, record, path }: ContractSubject): Promise<void> {
  const chunks: Buffer[] = [];
  await backend.diffing?.diff(record, 'patch', chunk => void chunks.push(chunk));
  if (backend.diffing) expect(Buffer.concat(chunks).toString('latin1')).toContain('gone.txt');
  expect(Object.keys(readPatchable(path))).not.toContain('gone.txt');
}

async function capture(
  { record }: ContractSubject,
  snapshots: Snapshotting,
  filesAt?: string,
): Promise<Snapshot & { commit: string }> {
  const id = 'snap_contract';
  const limits = { ignoredBytes: 1024 ** 2, regenerable: [] };
  const captured = await snapshots.capture(record, {
    snapshotId: id,
    message: 'contract',
    limits,
    at: new Date(),
    filesAt,
  });
  const { name, repository, repositoryId, backend, branch, base, createdAt } = record;
  return {
    ...{ id, workspaceId: record.id, workspaceName: name, repository, repositoryId, backend, branch, base },
    ...snapshots.place(record, id),
    commit: captured.commit,
    reason: 'down',
    message: 'contract',
    createdAt,
    expiresAt: createdAt,
    files: captured.files,
    omitted: [...captured.omitted],
  };
}
