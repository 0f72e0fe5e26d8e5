import { readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { thoroughTest } from '../../test/helpers/flavours.js';
import { usePrograms } from '../../test/helpers/machine/programs.js';
import { openApp } from '../app.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { SlotRecord } from '../domain/workspace/slot.js';
import { identifyProcess } from '../exec/process/identify-process.js';
import {
  batchDirectories,
  listAbandonedBatches,
  removeAbandonedBatch,
  repositoriesOf,
} from '../operations/batch/batch-directories.js';
import { collectGarbage } from '../operations/cleanup/gc.js';
import type { Context } from '../operations/context.js';
import { remainsDirectory, rootOfSlot } from '../pool/slot/slot-place.js';
import { createBatchProvider } from './create-provider.js';
import { listLeftovers, TASK } from './provider-contract.js';

const start = usePrograms({
  modules: { app: 'src/app.ts', 'create-provider': 'src/batch/create-provider.ts' },
  imports: `
    import { openApp } from './app.js';
    import { createBatchProvider } from './create-provider.js';`,
});

const WORK_AND_DIE = `
  const [environment, task] = args;
  const context = await openApp({ environment: JSON.parse(environment), cwd: '/' });
  const provider = createBatchProvider(context, { isolation: 'worktree', parallelism: 1 });
  await provider.init([JSON.parse(task)]);
  const taken = await provider.acquire(JSON.parse(task));
  await taken.run({ command: ['sh', '-c', 'echo work > new.txt'] });
  process.kill(process.pid, 'SIGKILL');
`;

/** The leftovers of a batch that was killed while an attempt had its slot. */
async function openAfterKill(): Promise<{ context: Context; slot: SlotRecord; told: string[] }> {
  const { env, home } = createCarrel();
  await start(WORK_AND_DIE, JSON.stringify(env), JSON.stringify(TASK)).ended;
  const told: string[] = [];
  const narrate = (line: string) => told.push(line);
  const context = await openApp({ environment: env, cwd: home, recovers: false, narrate });
  onTestFinished(() => context.close());
  const [slot] = (await context.store.slots.list()).slots;
  return { context: { ...context, startBackground: () => undefined }, slot: slot as SlotRecord, told };
}

test('gc removes the leftovers of a killed batch, even when they can no longer be captured', async () => {
  const { context, slot, told } = await openAfterKill();
  const request = { repository: context.cwd, all: true };
  expect((await collectGarbage(context, { ...request, execute: false })).items).toContainEqual(
    expect.objectContaining({ kind: 'batch', action: 'remove', outcome: 'planned' }),
  );
  await leaveUncapturable(context, slot);
  const { items } = await collectGarbage(context, { ...request, execute: true });
  expect(items.map(({ kind, outcome }) => ({ kind, outcome }))).toEqual([
    { kind: 'batch', outcome: 'removed' },
  ]);
  expect(await listLeftovers(context)).toEqual([]);
  expect(told).toEqual([]);
}, 60_000);

thoroughTest(
  'a slot that another process releases at the last moment is removed too',
  async () => {
    const { context, slot } = await openAfterKill();
    // A living process that is not this one.
    const owner = identifyProcess(process.ppid) as ProcessIdentity;
    const { slots } = context.store;
    await slots.update(slot.id, { status: 'leased', owner: slot.owner }, { status: 'resetting', owner }, []);
    let isReleased = false;
    const list: typeof slots.list = async repositoryId => {
      const found = await slots.list(repositoryId);
      // After listing what can be removed, before checking what is left.
      if (!isReleased && repositoryId !== undefined)
        await slots.update(slot.id, { status: 'resetting', owner }, { status: 'free', owner: null }, []);
      isReleased ||= repositoryId !== undefined;
      return found;
    };
    const store = { ...context.store, slots: { ...slots, list } };
    const [batchDirectory] = await listAbandonedBatches(context);
    expect(await removeAbandonedBatch({ ...context, store }, batchDirectory as string)).toBe(true);
    expect(await listLeftovers(context)).toEqual([]);
  },
  60_000,
);

thoroughTest(
  'the next batch removes a repository that was half deleted when its process was killed',
  async () => {
    const { context, told } = await openAfterKill();
    const found = batchDirectories(context.places);
    for (const batchDirectory of readdirSync(found))
      for (const name of readdirSync(repositoriesOf(join(found, batchDirectory)))) {
        const gitDir = join(repositoriesOf(join(found, batchDirectory)), name, 'eval/.git');
        await rm(join(gitDir, 'objects'), { recursive: true });
        await writeFile(join(gitDir, 'HEAD'), '');
      }
    const next = createBatchProvider(context, { isolation: 'worktree', parallelism: 1 });
    await next.init([TASK]);
    await next.destroyAll();
    expect(told).toEqual([]);
    expect(await listLeftovers(context)).toEqual([]);
  },
  60_000,
);

/** Work that an earlier command moved out of the slot and could not snapshot: its git directory is damaged. */
async function leaveUncapturable({ store }: Context, slot: SlotRecord): Promise<void> {
  const { repositoryId, repository, commonDir, commit } = slot;
  const id = 'snap_0000000000000000';
  const directory = remainsDirectory(rootOfSlot(slot), id);
  await mkdir(join(directory, 'git'), { recursive: true });
  await mkdir(join(directory, 'tree'));
  await store.remains.insert({
    ...{ id, directory, repositoryId, repository, commonDir, workspaceId: slot.id, workspaceName: slot.id },
    ...{ holds: 'work', isPartial: true, lower: null, branch: null, base: { ref: null, commit } },
    ...{ reason: 'pool', createdAt: slot.createdAt, owner: slot.owner as ProcessIdentity },
    failure: 'not a git repository',
  });
}
