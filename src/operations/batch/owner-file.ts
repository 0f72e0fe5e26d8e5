import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { constants, copyFile, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { errnoOf, ignoreMissing } from '../../domain/error/error.js';
import { isSameProcess, LONGEST_SILENCE_MS, type ProcessIdentity } from '../../domain/process-identity.js';
import { type HeartbeatFile, isHeld } from '../../exec/filesystem/heartbeat-file.js';
import { isAlive } from '../../exec/process/identify-process.js';

/**
 * Takes a run for this process; false when a live one has it. The file of a dead process is taken over, and so is that of a
 * process that can't be checked, on another machine for example, and has not updated it for too long.
 */
export async function takeOwnership(file: string, self: ProcessIdentity): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, formatOwner(self), { flag: 'wx', mode: 0o600 });
    for (let attempt = 1; attempt <= 3; attempt++) {
      if (await putInPlace(draft, file)) return true;
      const found = await readFile(file, 'utf8').catch(ignoreMissing);
      if (found === undefined) continue;
      const owner = parseOwner(found);
      // The clock of the file server, which machines share, is that of the file just written.
      const { mtimeMs: now } = await stat(draft);
      const isTaken = await isLiving(file, owner, now);
      return (!isTaken || isHandedOverTo(owner, self)) && (await takeOver(file, found, self));
    }
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Created atomically: no process can read an empty file and take its owner for dead. False when there is one. */
async function putInPlace(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file).catch(error => {
      if (!NO_LINKS.has(errnoOf(error) ?? '')) throw error;
      return copyFile(draft, file, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** What file systems say that have no hard links, such as those of memory cards. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Of the processes that found the same dead owner, one may take over, by a claim that is owned in the same way; a later holder of the claim
 * finds another owner. Removing the file instead could remove what the faster process has just written.
 */
async function takeOver(file: string, found: string, self: ProcessIdentity): Promise<boolean> {
  const claim = `${file}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`;
  if (!(await takeOwnership(claim, self))) return false;
  try {
    if ((await readFile(file, 'utf8').catch(ignoreMissing)) !== found) return false;
    const draft = `${file}.${randomUUID()}`;
    await writeFile(draft, formatOwner(self), { flag: 'wx', mode: 0o600 });
    await rename(draft, file);
    return true;
  } finally {
    await releaseOwnership(claim, self);
  }
}

/**
 * Hands an unowned run to a process that was started for it: from now on that is its owner, although it takes the run only later.
 * False when another process was faster. Synchronous, so that it is done before that process checks.
 */
export function handOverOwnership(file: string, to: ProcessIdentity): boolean {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, JSON.stringify({ ...toOwner(to), isLeft: true }), { flag: 'wx', mode: 0o600 });
    linkOrCopy(draft, file);
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function linkOrCopy(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!NO_LINKS.has(errnoOf(error) ?? '')) throw error;
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
  }
}

/** Runs handed to this process and not yet taken by another part of it. */
const isHandedOverTo = (owner: Owner | undefined, self: ProcessIdentity): boolean =>
  owner?.isLeft === true && isSameProcess(owner, self);

interface Owner extends ProcessIdentity {
  readonly isLeft?: boolean;
  /** Where it runs, for messages; an earlier version did not write it. */
  readonly host?: string;
}

const toOwner = ({ pid, startedAt, realm }: ProcessIdentity): Owner => ({
  ...{ pid, startedAt, realm },
  host: hostname(),
});

/** What the file of an owner holds. */
export const formatOwner = (self: ProcessIdentity): string => JSON.stringify(toOwner(self));

/** The owner keeps updating this, and so notices when another process has taken over. */
export const heartbeatOf = (file: string, self: ProcessIdentity): HeartbeatFile => ({
  file,
  text: formatOwner(self),
});

/** Undefined when no process has it, or only a dead one. */
export async function findLivingOwner(file: string): Promise<Owner | undefined> {
  const owner = await readOwner(file);
  return (await isLiving(file, owner, Date.now())) ? owner : undefined;
}

async function isLiving(file: string, owner: Owner | undefined, now: number): Promise<boolean> {
  if (owner === undefined) return false;
  const state = isAlive(owner);
  if (state !== 'unknown') return state === 'alive';
  const { mtimeMs } = (await stat(file).catch(ignoreMissing)) ?? { mtimeMs: Number.NEGATIVE_INFINITY };
  return now - mtimeMs < LONGEST_SILENCE_MS;
}

/** Whether its process is gone without releasing it: killed, machine down, or silent for too long. */
export async function isOwnerGone(file: string): Promise<boolean> {
  const owner = await readOwner(file);
  return owner !== undefined && !(await isLiving(file, owner, Date.now()));
}

/** Undefined when there is no such file, or nothing in it. */
export async function readOwner(file: string): Promise<Owner | undefined> {
  const text = await readFile(file, 'utf8').catch(ignoreMissing);
  return text === undefined ? undefined : parseOwner(text);
}

function parseOwner(text: string): Owner | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Leaves a file that another process has taken over. */
export async function releaseOwnership(file: string, self: ProcessIdentity): Promise<void> {
  if (isHeld(heartbeatOf(file, self))) await rm(file, { force: true });
}

/** ` on HOST` when the owner runs on another machine than this process, for messages. */
export const describeHost = (owner: Owner | undefined): string =>
  owner?.host === undefined || owner.host === hostname() ? '' : ` on ${owner.host}`;
