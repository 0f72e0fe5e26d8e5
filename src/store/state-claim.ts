import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { carrelError, errnoOf } from '../domain/error/error.js';
import { LONGEST_SILENCE_MS, type ProcessIdentity } from '../domain/process-identity.js';
import { type HeartbeatFile, isHeld, keepHeartbeat } from '../exec/filesystem/heartbeat-file.js';
import { isAlive, isElsewhere } from '../exec/process/identify-process.js';
import { makePrivateDirectory } from './make-private-directory.js';

/**
 * The state directory belongs to one machine at a time: SQLite's log does not work across machines, and a process of
 * another machine can't be looked up. Each process that has it open keeps a file in `in-use`, with a sign of life.
 *
 * - A process writes its file first and then reads the others', so that of two machines at least one sees the other.
 * - While another machine shows life, it is refused with that host's name.
 * - A file without a sign of life for LONGEST_SILENCE_MS is removed. Its process, when it wakes up, finds it gone before
 *   it reads or writes anything, and stops.
 * - Files of dead processes of this machine are removed by the next one. Other pid namespaces of this machine share the
 *   database as usual; there the compare-and-swap of each record decides.
 */
export interface StateClaim {
  /** STATE_LOST when the claim is gone. */
  require(): void;
  /** Idempotent. */
  close(): void;
}

/**
 * STATE_IN_USE while another machine uses it. Without space for the file, nothing is claimed: nothing can be written.
 */
export function claimState(stateDir: string, self: ProcessIdentity): StateClaim {
  const directory = join(stateDir, 'in-use');
  const sign = writeClaim(directory, self);
  if (!sign) return { require: () => undefined, close: () => undefined };
  const remove = () => removeFile(sign.file);
  try {
    refuseOtherMachines(directory, sign);
  } catch (error) {
    remove();
    throw error;
  }
  const stop = keepHeartbeat(sign, () => undefined);
  return {
    require: () => {
      if (!isHeld(sign)) throw carrelError('STATE_LOST', { path: stateDir });
    },
    close: () => {
      stop();
      remove();
    },
  };
}

/** The living processes of this machine that have it open: each is a Carrel process. */
export function listClaimants(stateDir: string): ProcessIdentity[] {
  const directory = join(stateDir, 'in-use');
  return listOrNothing(directory).flatMap(name => {
    const claim = readClaim(join(directory, name));
    return claim && !isElsewhere(claim) && isAlive(claim) === 'alive' ? [claim] : [];
  });
}

function listOrNothing(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

interface Claim extends ProcessIdentity {
  readonly host: string;
}

/** Complete from the start. */
function writeClaim(directory: string, self: ProcessIdentity): HeartbeatFile | undefined {
  const file = join(directory, `${randomUUID()}.json`);
  const text = JSON.stringify({ ...self, host: hostname() } satisfies Claim);
  try {
    makePrivateDirectory(directory);
    writeFileSync(`${file}.draft`, text, { mode: 0o600 });
    renameSync(`${file}.draft`, file);
    return { file, text };
  } catch (error) {
    removeQuietly(`${file}.draft`);
    if (['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '')) return undefined;
    throw carrelError(
      'STATE_NOT_WRITABLE',
      { path: directory, problem: errnoOf(error) ?? String(error) },
      error,
    );
  }
}

/** An unwritable directory is reported elsewhere. */
function removeQuietly(file: string): void {
  try {
    removeFile(file);
  } catch {
    // It was never created.
  }
}

/** Not rmSync: its first call loads a part of Node that takes 1 ms, and every command gets here. */
function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

function refuseOtherMachines(directory: string, own: HeartbeatFile): void {
  // All machines share the clock of the file server, which is the time of the file just written.
  const now = changedAt(own.file) ?? Date.now();
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    const at = changedAt(file);
    if (file === own.file || at === undefined) continue;
    const isSilent = now - at >= LONGEST_SILENCE_MS;
    const claim = readClaim(file);
    if (claim && isElsewhere(claim) && !isSilent) throw inUse(directory, file, claim, now - at);
    const isGone = claim ? (isElsewhere(claim) ? isSilent : isAlive(claim) === 'dead') : isSilent;
    if (isGone) removeFile(file);
  }
}

const inUse = (directory: string, file: string, { host, pid }: Claim, silentMs: number): Error =>
  carrelError('STATE_IN_USE', {
    path: join(directory, '..'),
    host,
    pid,
    silentSeconds: Math.max(0, Math.round(silentMs / 1000)),
    file,
  });

const changedAt = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/** Undefined for other files: a draft, or a truncated file. */
function readClaim(file: string): Claim | undefined {
  try {
    const claim = JSON.parse(readFileSync(file, 'utf8')) as Partial<Claim>;
    return typeof claim.realm === 'string' && typeof claim.host === 'string' ? (claim as Claim) : undefined;
  } catch {
    return undefined;
  }
}
