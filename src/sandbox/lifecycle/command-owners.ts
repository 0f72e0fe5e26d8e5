import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { carrelError, errnoOf, ignoreMissing } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import type { SandboxPlace } from '../sandbox-place.js';

/**
 * Which processes have a command in a sandbox: one file each, with the process that waits for it. A container keeps running
 * when that process dies; from the file the next Carrel knows that the command is abandoned and stops it. A new command
 * writes its file and then checks for a cleanup; a cleanup announces itself and then checks for files: so one of the two
 * always sees the other.
 */
const directoryOf = (place: SandboxPlace): string => join(place.root, 'commands');
const stoppingFileOf = (place: SandboxPlace): string => join(place.root, 'ending');

/** Runs an action while a file says that this process has a command in the sandbox. */
export async function withOwner<T>(
  place: SandboxPlace,
  id: string,
  self: ProcessIdentity,
  action: () => Promise<T>,
): Promise<T> {
  const file = join(directoryOf(place), id);
  await mkdir(directoryOf(place), { recursive: true });
  await writeFile(`${place.root}/${id}.draft`, JSON.stringify(self));
  await rename(`${place.root}/${id}.draft`, file);
  try {
    await waitForStopping(place);
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

/** Stopping a container takes a second or two; after this much longer something is wrong. */
const LONGEST_STOP_MS = 60_000;

async function waitForStopping(place: SandboxPlace): Promise<void> {
  const deadline = performance.now() + LONGEST_STOP_MS;
  while (await findOwner(stoppingFileOf(place)).then(isLiving)) {
    if (performance.now() > deadline)
      throw carrelError('INTERNAL', {
        problem: `another process has been stopping commands in ${place.root} for a minute`,
      });
    await delay(20);
  }
}

/** Calls `end` when there are abandoned commands and none that a live process waits for. */
export async function stopAbandonedCommands(
  place: SandboxPlace,
  self: ProcessIdentity,
  end: () => Promise<void>,
): Promise<void> {
  if (!(await areAllAbandoned(place)) || !(await beginStopping(place, self))) return;
  try {
    if (!(await areAllAbandoned(place))) return;
    await end();
    await rm(directoryOf(place), { recursive: true, force: true });
  } finally {
    await rm(stoppingFileOf(place), { force: true });
  }
}

/** False when another process does it. */
async function beginStopping(place: SandboxPlace, self: ProcessIdentity): Promise<boolean> {
  const file = stoppingFileOf(place);
  if (!(await findOwner(file).then(isLiving))) await rm(file, { force: true });
  return writeFile(file, JSON.stringify(self), { flag: 'wx' }).then(
    () => true,
    error => {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    },
  );
}

async function areAllAbandoned(place: SandboxPlace): Promise<boolean> {
  const owners = await listOwners(place);
  return owners.length > 0 && !owners.some(isLiving);
}

/** Whether a live process waits for a command in the sandbox. */
export async function hasWaitingOwner(place: SandboxPlace): Promise<boolean> {
  return (await listOwners(place)).some(isLiving);
}

/** Whether a live process other than this one waits for a command in the sandbox. */
export async function hasOtherOwner(place: SandboxPlace, id: string): Promise<boolean> {
  return (await listOwners(place, id)).some(isLiving);
}

async function listOwners(place: SandboxPlace, but?: string): Promise<(ProcessIdentity | undefined)[]> {
  const names = (await readdir(directoryOf(place)).catch(ignoreMissing)) ?? [];
  const others = names.filter(name => name !== but);
  return Promise.all(others.map(name => findOwner(join(directoryOf(place), name))));
}

/** Undefined for a file that is gone or truncated. */
async function findOwner(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const isLiving = (owner: ProcessIdentity | undefined): boolean =>
  owner !== undefined && findOwnerState(owner) !== 'dead';
