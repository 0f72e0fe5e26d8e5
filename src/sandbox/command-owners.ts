import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { carrelError, errnoOf, ignoreMissing } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import { isAlive } from '../exec/process-identity.js';
import type { SandboxPlace } from './place.js';

/**
 * Who has a command in a sandbox: one file each, with the process that waits for it. A container goes on when that
 * process dies; the file is how the next Carrel knows that nobody waits any more and ends what is left. Whoever comes
 * writes its file and then looks for somebody who is ending; whoever ends says so and then looks for files: so one of
 * the two always sees the other.
 */
const directoryOf = (place: SandboxPlace): string => join(place.root, 'commands');
const endingFileOf = (place: SandboxPlace): string => join(place.root, 'ending');

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
    await waitForEnding(place);
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

/** Ending a container takes a second or two; this much longer, and something is wrong. */
const LONGEST_ENDING_MS = 60_000;

async function waitForEnding(place: SandboxPlace): Promise<void> {
  const deadline = performance.now() + LONGEST_ENDING_MS;
  while (await findOwner(endingFileOf(place)).then(isLiving)) {
    if (performance.now() > deadline)
      throw carrelError('INTERNAL', {
        problem: `somebody has been ending commands in ${place.root} for a minute`,
      });
    await delay(20);
  }
}

/** Calls `end` when there are commands that nobody waits for, and none that somebody does. */
export async function endLeftCommands(
  place: SandboxPlace,
  self: ProcessIdentity,
  end: () => Promise<void>,
): Promise<void> {
  if (!(await isLeftAlone(place)) || !(await beginEnding(place, self))) return;
  try {
    if (!(await isLeftAlone(place))) return;
    await end();
    await rm(directoryOf(place), { recursive: true, force: true });
  } finally {
    await rm(endingFileOf(place), { force: true });
  }
}

/** False when somebody else is at it. */
async function beginEnding(place: SandboxPlace, self: ProcessIdentity): Promise<boolean> {
  const file = endingFileOf(place);
  if (!(await findOwner(file).then(isLiving))) await rm(file, { force: true });
  return writeFile(file, JSON.stringify(self), { flag: 'wx' }).then(
    () => true,
    error => {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    },
  );
}

async function isLeftAlone(place: SandboxPlace): Promise<boolean> {
  const owners = await listOwners(place);
  return owners.length > 0 && !owners.some(isLiving);
}

/** Whether somebody who lives waits for a command in the sandbox. */
export async function hasLivingOwner(place: SandboxPlace): Promise<boolean> {
  return (await listOwners(place)).some(isLiving);
}

async function listOwners(place: SandboxPlace): Promise<(ProcessIdentity | undefined)[]> {
  const names = (await readdir(directoryOf(place)).catch(ignoreMissing)) ?? [];
  return Promise.all(names.map(name => findOwner(join(directoryOf(place), name))));
}

/** Undefined for a file that is gone or was cut short. */
async function findOwner(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const isLiving = (owner: ProcessIdentity | undefined): boolean =>
  owner !== undefined && isAlive(owner) !== 'dead';
