import { randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, errnoOf, ignoreMissing } from '../../domain/error/error.js';
import { formatSize } from '../../domain/text/format-quantity.js';
import { keepHeartbeat } from '../../exec/filesystem/heartbeat-file.js';
import {
  findLivingOwner,
  heartbeatOf,
  releaseOwnership,
  takeOwnership,
} from '../../operations/batch/owner-file.js';
import type { Context } from '../../operations/context.js';

type HostContext = Pick<Context, 'places' | 'self' | 'now'>;

/** The state directory as a host of the fleet: one worker at a time has it. */
export interface HeldHost {
  /** Stays the same when the worker is restarted. */
  readonly id: string;
  readonly spoolDir: string;
  release(): Promise<void>;
}

/** WORKER_BUSY while another worker uses this state directory. */
export async function holdHost(context: HostContext): Promise<HeldHost> {
  const { stateDir } = context.places;
  const directory = join(stateDir, 'fleet');
  const ownerFile = join(directory, 'worker');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!(await takeOwnership(ownerFile, context.self))) {
    const owner = await findLivingOwner(ownerFile);
    throw carrelError('WORKER_BUSY', { stateDir, pid: owner?.pid ?? 0 });
  }
  const stop = keepHeartbeat(heartbeatOf(ownerFile, context.self), () => undefined);
  await removeOldAttempts(join(directory, 'attempts'), context.now());
  return {
    id: await loadHostId(join(directory, 'host')),
    spoolDir: join(directory, 'spool'),
    release: async () => {
      stop();
      await releaseOwnership(ownerFile, context.self);
    },
  };
}

async function loadHostId(file: string): Promise<string> {
  try {
    await writeFile(file, `host_${randomBytes(8).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  return (await readFile(file, 'utf8')).trim();
}

/** Directories of claims that were killed, or whose files could not be uploaded: they are kept for a week. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

async function removeOldAttempts(directory: string, now: number): Promise<void> {
  for (const name of (await readdir(directory).catch(ignoreMissing)) ?? []) {
    const path = join(directory, name);
    if (now - (await stat(path)).mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}

/** A host with less free space claims nothing. */
export const DISK_RESERVE_BYTES = 2 * 1024 ** 3;

/** Free space for workspaces, and why a host with too little of it claims nothing. */
export function lookAtDisk({ places }: Pick<Context, 'places'>, reserveBytes: number) {
  const { bavail, bsize } = statfsSync(places.cacheDir);
  const diskFreeBytes = bavail * bsize;
  if (diskFreeBytes >= reserveBytes) return { diskFreeBytes };
  const found = `${formatSize(diskFreeBytes)} free in ${places.cacheDir}`;
  return { diskFreeBytes, refusing: `${found}; expected at least ${formatSize(reserveBytes)}` };
}
