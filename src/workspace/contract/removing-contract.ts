import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type ContractSetup,
  create,
  createWorkspace,
  makeEveryKindOfChange,
  OWNS_NO_FILES,
  recordSuccessor,
  recordWorkspace,
} from './backend-subject.js';
import { describeSource } from './creating-contract.js';
import { readTree } from './file-tree.js';

export function removingContract(setup: ContractSetup): void {
  test('files that were set aside are gone from their path and can be put back unchanged', async () => {
    const { backend, record, path } = await createWorkspace(setup);
    makeEveryKindOfChange(path);
    const before = readTree(path);
    await backend.removal.setAside(record);
    await backend.removal.setAside(record);
    expect(readTree(backend.removal.asideOf(record))).toEqual(before);
    if (backend.ownsFiles) expect(existsSync(path)).toBe(false);
    await backend.removal.putBack(record);
    await backend.removal.putBack(record);
    expect(readTree(path)).toEqual(before);
    expect((await backend.inspect([record], { size: false }))[0]?.presence).toEqual({ kind: 'present' });
  });

  test('files are set aside on the same file system', async () => {
    const { backend, record, path } = await createWorkspace(setup);
    const { dev } = lstatSync(path);
    await backend.removal.setAside(record);
    expect(lstatSync(backend.removal.asideOf(record)).dev).toBe(dev);
  });

  test('removing leaves no trace, and a backend that does not own its files deletes nothing', async () => {
    const subject = await recordWorkspace(setup);
    const { backend, record, path } = subject;
    const before = await describeSource(subject);
    await create(subject);
    if (backend.ownsFiles) makeEveryKindOfChange(path);
    await backend.removal.setAside(record);
    for (let time = 1; time <= 2; time++) {
      const { keptBranch } = await backend.removal.unregister(
        record,
        {
          discardChanges: true,
          discardCommits: true,
        },
        null,
      );
      expect(keptBranch).toBeNull();
      await backend.removal.destroy(record);
    }
    expect(await describeSource(subject)).toEqual(before);
    expect(existsSync(path)).toBe(!backend.ownsFiles);
    const beside = existsSync(dirname(path)) ? readdirSync(dirname(path)) : [];
    expect(beside.filter(name => name.includes(record.id))).toEqual([]);
  });

  test('read-only directories are removed too', async ({ skip }) => {
    const { backend, record, path } = await createWorkspace(setup);
    skip(!backend.ownsFiles, OWNS_NO_FILES);
    chmodSync(join(path, 'dir/deep'), 0o500);
    chmodSync(join(path, 'dir'), 0o500);
    await backend.removal.setAside(record);
    await backend.removal.unregister(record, {}, null);
    await backend.removal.destroy(record);
    expect(existsSync(backend.removal.asideOf(record))).toBe(false);
  });

  test('after removal, the same name can be created again', async () => {
    const subject = await createWorkspace(setup);
    const { backend, record } = subject;
    await backend.removal.setAside(record);
    await backend.removal.unregister(record, {}, null);
    await backend.removal.destroy(record);
    const next = await recordSuccessor(subject);
    await create(next);
    expect((await backend.inspect([next.record], { size: false }))[0]?.presence).toEqual({ kind: 'present' });
  });

  test('a workspace whose directory is gone can be removed', async ({ skip }) => {
    const { backend, record } = await createWorkspace(setup);
    skip(!backend.ownsFiles, OWNS_NO_FILES);
    await backend.removal.setAside(record);
    await backend.removal.destroy(record);
    await backend.removal.setAside(record);
    await backend.removal.putBack(record);
    await backend.removal.unregister(record, {}, null);
    await backend.removal.destroy(record);
    expect((await backend.inspect([record], { size: false }))[0]?.presence).toEqual({ kind: 'missing' });
  });
}
