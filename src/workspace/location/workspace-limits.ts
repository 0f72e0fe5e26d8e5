import { carrelError } from '../../domain/error/error.js';
import { formatSize } from '../../domain/text/format-quantity.js';
import { freeBytes } from '../files/free-disk.js';

export interface LimitsRequest {
  /** The limits; one that is not set is not checked. */
  readonly limits: {
    readonly count?: number | undefined;
    /** Bytes on disk of all workspaces together. */
    readonly bytes?: number | undefined;
    /** Bytes that must stay free on the file system of `root`. */
    readonly freeDisk?: number | undefined;
  };
  readonly existing: { readonly count: number; readonly bytes: () => Promise<number> };
  /** What `gc` could free, as text; only called when a limit is reached. */
  readonly freeable: () => Promise<string>;
  readonly root: string;
}

/** LIMIT_REACHED unless one more workspace may be created. Checks the cheap limits first. */
export async function requireWithinLimits(request: LimitsRequest): Promise<void> {
  const reached =
    (await findReachedCount(request)) ??
    (await findReachedDisk(request)) ??
    (await findReachedBytes(request));
  if (reached) throw carrelError('LIMIT_REACHED', { ...reached, freeable: await request.freeable() });
}

interface Reached {
  readonly limit: string;
  readonly found: string;
  readonly allowed: string;
}

async function findReachedCount({ limits, existing }: LimitsRequest): Promise<Reached | undefined> {
  if (limits.count === undefined || existing.count < limits.count) return undefined;
  return { limit: 'the number of workspaces', found: `${existing.count + 1}`, allowed: `${limits.count}` };
}

async function findReachedDisk({ limits, root }: LimitsRequest): Promise<Reached | undefined> {
  if (limits.freeDisk === undefined) return undefined;
  const free = await freeBytes(root);
  if (free >= limits.freeDisk) return undefined;
  return {
    limit: `the free disk space at ${root}`,
    found: `less than ${formatSize(free)}`,
    allowed: `no less than ${formatSize(limits.freeDisk)}`,
  };
}

async function findReachedBytes({ limits, existing }: LimitsRequest): Promise<Reached | undefined> {
  if (limits.bytes === undefined) return undefined;
  const bytes = await existing.bytes();
  if (bytes < limits.bytes) return undefined;
  return {
    limit: 'the size of all workspaces',
    found: `more than ${formatSize(bytes)}`,
    allowed: formatSize(limits.bytes),
  };
}
