/**
 * Identifies a process even after its pid is reused: the pid alone is not enough, so this adds its start time, boot, pid
 * namespace and machine.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time as reported by the operating system; opaque, compared for equality. */
  readonly startedAt: string;
  /** Boot id, pid namespace and machine; see exec/process/process-realm.ts. A process can only be looked up from inside its own realm. */
  readonly realm: string;
}

export const isSameProcess = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.pid === other.pid && one.startedAt === other.startedAt && one.realm === other.realm;

/** Used as the owner when there is none: any process may take over what it owns. */
export const NO_OWNER: ProcessIdentity = { pid: 0, startedAt: '-', realm: '-' };

/**
 * A process that can't be looked up, in another pid namespace or on another machine, counts as dead after this many
 * milliseconds without a heartbeat. Generous: machines are suspended, file servers hang, and a second agent in the same
 * workspace costs more than waiting.
 */
export const LONGEST_SILENCE_MS = 10 * 60_000;

/** How often such a process writes its heartbeat. Several in a row may fail. */
export const HEARTBEAT_MS = 20_000;
