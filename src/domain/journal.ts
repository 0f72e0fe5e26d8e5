import type { ProcessIdentity } from './process-identity.js';

/**
 * The steps of every operation that changes files or refs, in order. An entry is written before the first step and
 * removed after the last, so an entry of a dead process says exactly what is half done. The kill tests iterate over this
 * list.
 */
export const operationSteps = {
  up: ['recorded', 'registered', 'populated', 'included', 'prepared', 'done'],
  restore: ['recorded', 'registered', 'populated', 'included', 'prepared', 'done'],
  snapshot: ['recorded', 'captured', 'done'],
  checkpoint: ['recorded', 'captured', 'remembered', 'done'],
  'put-back': ['recorded', 'filled', 'placed', 'done'],
  down: ['recorded', 'set-aside', 'captured', 'snapshotted', 'unregistered', 'handed-over', 'done'],
  reset: [
    ...['recorded', 'set-aside', 'captured', 'snapshotted', 'cleared'],
    ...['registered', 'populated', 'included', 'prepared', 'done'],
  ],
  land: ['recorded', 'merged', 'moved', 'checked-out', 'done'],
} as const;

/** The steps of capturing and deleting files that were moved aside. Their record in the store (see remains.ts) is the journal. */
export const recoverySteps = ['adopted', 'judged', 'deleted', 'done'] as const;

export type JournalKind = keyof typeof operationSteps;
export type JournalStep<Kind extends JournalKind = JournalKind> = (typeof operationSteps)[Kind][number];

export interface JournalEntry {
  readonly id: string;
  readonly kind: JournalKind;
  readonly step: string;
  readonly workspaceId: string;
  readonly repositoryId: string;
  /** What recovery needs to know; each step may add to it. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly owner: ProcessIdentity;
  readonly startedAt: string;
}
