/**
 * A process that stays itself when its pid is used again: the pid alone is not enough, so its start time, the boot it
 * belongs to and its pid namespace come along.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time as the operating system tells it; opaque, compared for equality. */
  readonly startedAt: string;
  /** Boot id and pid namespace; two processes can only be looked up from within the same one. */
  readonly realm: string;
}

export const isSameProcess = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.pid === other.pid && one.startedAt === other.startedAt && one.realm === other.realm;
