import type { CarrelEvent, EventType, NewEvent } from '../../domain/event.js';
import type { JournalEntry } from '../../domain/journal.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Store } from '../store.js';
import type { StoreUnderTest } from '../store-contract.js';

/** Opens an empty store for the running test, closed when the test ends. */
export type OpenStore = () => Promise<StoreUnderTest>;

export const someProcess: ProcessIdentity = { pid: 100, startedAt: '5000', realm: 'boot-a/pid-1' };
export const otherProcess: ProcessIdentity = { pid: 200, startedAt: '6000', realm: 'boot-a/pid-1' };

/** A moment; later ones sort after it. */
export const moment = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

export function sampleWorkspace(change: Partial<WorkspaceRecord> = {}): WorkspaceRecord {
  const id = change.id ?? 'ws_00000000aaaaaaaa';
  return {
    id,
    name: 'desk',
    repository: '/home/me/api',
    repositoryId: 'repository-1',
    commonDir: '/home/me/api/.git',
    backend: 'git',
    runtime: 'host',
    isolation: { requested: 'full', effective: 'worktree', reason: 'no sandbox here' },
    path: `/cache/${id}`,
    branch: 'carrel/desk',
    ownsBranch: true,
    base: { ref: 'main', commit: 'a'.repeat(40) },
    status: 'creating',
    operationId: null,
    template: null,
    environment: { LANGUAGE: 'naïve "quotes"\nand lines' },
    included: [{ path: '.env\u00ff', sha256: 'b'.repeat(64) }],
    ports: [4000, 4001],
    createdAt: moment(1),
    lastActivityAt: moment(1),
    warnings: ['a submodule was left out'],
    ...change,
  };
}

export function sampleSnapshot(change: Partial<Snapshot> = {}): Snapshot {
  return {
    id: 'snap_00000000aaaaaaaa',
    workspaceId: 'ws_00000000aaaaaaaa',
    workspaceName: 'desk',
    repository: '/home/me/api',
    repositoryId: 'repository-1',
    backend: 'git',
    branch: null,
    base: { ref: null, commit: 'a'.repeat(40) },
    commit: null,
    ref: 'refs/carrel/snapshots/snap_00000000aaaaaaaa',
    objectStore: '/home/me/api/.git',
    reason: 'asked',
    message: null,
    createdAt: moment(1),
    expiresAt: moment(50),
    files: 3,
    omitted: [{ path: 'big.bin', bytes: 123, reason: 'too large' }],
    ...change,
  };
}

export function sampleSlot(change: Partial<SlotRecord> = {}): SlotRecord {
  const id = change.id ?? 'slot_00000000aaaaaaaa';
  return {
    id,
    repositoryId: 'repository-1',
    repository: '/home/me/api',
    commonDir: '/home/me/api/.git',
    directory: `/cache/.pool/repository-1/${id}`,
    kind: 'checkout',
    status: 'free',
    commit: 'a'.repeat(40),
    lease: null,
    owner: null,
    caches: { node_modules: 'b'.repeat(64) },
    reason: null,
    createdAt: moment(1),
    changedAt: moment(1),
    ...change,
  };
}

export function sampleRemains(change: Partial<Remains> = {}): Remains {
  return {
    id: 'snap_00000000aaaaaaaa',
    directory: '/cache/.trash/snap_00000000aaaaaaaa',
    holds: 'work',
    isPartial: true,
    lower: null,
    repositoryId: 'repository-1',
    repository: '/home/me/api',
    commonDir: '/home/me/api/.git',
    workspaceId: 'slot_00000000aaaaaaaa',
    workspaceName: 'slot_00000000aaaaaaaa',
    branch: null,
    base: { ref: null, commit: 'a'.repeat(40) },
    reason: 'pool',
    createdAt: moment(1),
    owner: someProcess,
    ...change,
  };
}

export function sampleTask(change: Partial<TaskRecord> = {}): TaskRecord {
  return {
    id: 'task_00000000aaaaaaaa',
    description: 'naïve "quotes"\nand lines',
    repository: '/home/me/api',
    repositoryId: 'repository-1',
    workflow: 'quick',
    agent: null,
    status: 'waiting',
    priority: 0,
    isolation: { requested: 'full', effective: null, reason: null },
    workspaceId: null,
    workspaceName: null,
    worktreePath: null,
    workspaceKept: false,
    branch: null,
    base: null,
    head: null,
    stages: [
      {
        name: 'develop',
        agent: 'developer',
        status: 'pending',
        startedAt: null,
        endedAt: null,
        attempts: 0,
        exitCode: null,
        outputs: [],
        usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
        changed: null,
        commit: null,
        message: null,
        workspaceName: null,
        warnings: [],
      },
    ],
    validation: [],
    usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
    runs: [],
    landed: null,
    published: null,
    warnings: [],
    createdAt: moment(1),
    endedAt: null,
    owner: null,
    heartbeatAt: null,
    cancelRequestedAt: null,
    plan: {
      workflow: { name: 'quick', description: 'one step', stages: [{ name: 'develop', agent: 'developer' }] },
      agents: {},
      validation: [],
      limits: {},
      timeoutMs: null,
      retryDelayMs: 5000,
      baseRef: null,
      strict: false,
      cleanupOnComplete: true,
      preserveOnFailure: true,
      trust: null,
      land: null,
      publish: null,
    },
    ...change,
  };
}

export function sampleEntry(change: Partial<JournalEntry> = {}): JournalEntry {
  return {
    id: 'op_00000000aaaaaaaa',
    kind: 'up',
    step: 'recorded',
    workspaceId: 'ws_00000000aaaaaaaa',
    repositoryId: 'repository-1',
    data: { aside: null },
    owner: someProcess,
    startedAt: moment(1),
    ...change,
  };
}

export function sampleEvent(type: EventType, workspaceId: string | null = 'ws_00000000aaaaaaaa'): NewEvent {
  return {
    type,
    repositoryId: 'repository-1',
    workspaceId,
    data: { reason: 'a test', nested: { list: [1, null] } },
  };
}

export const allEvents = (store: Store): Promise<CarrelEvent[]> => store.events.list({ limit: 1000 });

export const eventTypes = async (store: Store): Promise<string[]> =>
  (await allEvents(store)).map(event => event.type);
