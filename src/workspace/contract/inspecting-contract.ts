import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SnapshotLimits } from '../backend.js';
import {
  ADDITIONS,
  type ContractSetup,
  type ContractSubject,
  createWorkspace,
  EDITS,
  makeEveryKindOfChange,
  OWNS_NO_FILES,
} from './backend-subject.js';

const LIMITS: SnapshotLimits = { ignoredBytes: 1024 ** 2, regenerable: ['node_modules'] };

export function inspectingContract(setup: ContractSetup): void {
  test('a new workspace is present and has no changes', async () => {
    const { backend, record } = await createWorkspace(setup);
    const [inspection] = await backend.inspect([record], { size: true });
    expect(inspection?.presence).toEqual({ kind: 'present' });
    expect(inspection?.changes ?? noChanges).toEqual(noChanges);
    expect(inspection?.sizeBytes).toBeGreaterThan(0);
    expect(await backend.findRisks(record, LIMITS)).toEqual([]);
  });

  test('several workspaces are inspected in order, and sizes are measured only on request', async () => {
    const { backend, record } = await createWorkspace(setup);
    const gone = { ...record, id: 'ws_contractgone', path: `${record.path}-gone` };
    const found = await backend.inspect([gone, record, gone], { size: false });
    expect(found.map(inspection => inspection.presence.kind)).toEqual(['missing', 'present', 'missing']);
    expect(found.map(inspection => inspection.sizeBytes)).toEqual([null, null, null]);
  });

  test('only presence is reported when nothing else is requested', async () => {
    const { backend, record } = await createWorkspace(setup);
    const [inspection] = await backend.inspect([record], { size: true, presenceOnly: true });
    expect(inspection).toMatchObject({
      presence: { kind: 'present' },
      head: null,
      changes: null,
      sizeBytes: null,
    });
  });

  test('changes are counted, and removing names them as risks when it would delete them', async () => {
    const { backend, record, path } = await createWorkspace(setup);
    makeEveryKindOfChange(path);
    const [inspection] = await backend.inspect([record], { size: false });
    if (inspection?.changes) {
      expect(inspection.changes.staged + inspection.changes.unstaged).toBe(Object.keys(EDITS).length);
      expect(inspection.changes.untracked).toBe(Object.keys(ADDITIONS).length);
    }
    const risks = await backend.findRisks(record, LIMITS);
    if (!backend.ownsFiles) return expect(risks).toEqual([]);
    const items = risks.flatMap(risk => risk.items);
    for (const name of ['a.txt', 'gone.txt', 'new/binary.bin']) expect(items).toContain(name);
    expect(new Set(risks.map(risk => risk.flag))).toEqual(new Set(['--discard-changes']));
  });

  test('a deleted directory is reported missing, with nothing to lose', async () => {
    const subject = await createWorkspace(setup);
    moveAway(subject, join(subject.scratch, 'away'));
    expect(await presenceOf(subject)).toBe('missing');
    expect(await subject.backend.findRisks(subject.record, LIMITS)).toEqual([]);
  });

  const replacements: Record<string, (path: string, away: string) => void> = {
    'a file': path => writeFileSync(path, ''),
    'a symbolic link to it': (path, away) => symlinkSync(away, path),
    'a symbolic link to nowhere': path => symlinkSync('/nonexistent', path),
  };
  for (const [name, replace] of Object.entries(replacements)) {
    test(`a workspace whose path holds ${name} is reported replaced`, async () => {
      const subject = await createWorkspace(setup);
      const away = join(subject.scratch, 'away');
      moveAway(subject, away);
      replace(subject.path, away);
      expect(await presenceOf(subject)).toBe('replaced');
      if (subject.backend.ownsFiles) await expectRefused(subject);
    });
  }

  test('a backend that deletes files does not mistake another directory for its workspace', async ({
    skip,
  }) => {
    const subject = await createWorkspace(setup);
    skip(!subject.backend.ownsFiles, OWNS_NO_FILES);
    moveAway(subject, join(subject.scratch, 'away'));
    mkdirSync(subject.path);
    writeFileSync(join(subject.path, 'a.txt'), 'other content');
    expect(await presenceOf(subject)).toBe('replaced');
    await expectRefused(subject);
  });
}

const noChanges = { staged: 0, unstaged: 0, untracked: 0, conflicted: 0 };

const moveAway = ({ path, takeAway: move = renameSync }: ContractSubject, to: string): void => move(path, to);

async function presenceOf({ backend, record }: ContractSubject): Promise<string | undefined> {
  return (await backend.inspect([record], { size: true }))[0]?.presence.kind;
}

async function expectRefused({ backend, record }: ContractSubject): Promise<void> {
  await expect(backend.findRisks(record, LIMITS)).rejects.toMatchObject({ code: 'WORKSPACE_REPLACED' });
  await expect(backend.removal.setAside(record)).rejects.toMatchObject({ code: 'WORKSPACE_REPLACED' });
}
