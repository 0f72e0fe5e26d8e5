import { readFile, rm, writeFile } from 'node:fs/promises';
import { errnoOf, ignoreMissing } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import { isAlive } from '../exec/process-identity.js';

/** Takes a run for this process; false when a living one has it. The file of a dead one is taken over. */
export async function takeOwnership(file: string, self: ProcessIdentity): Promise<boolean> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      await writeFile(file, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
      if (await findLivingOwner(file)) return false;
      await rm(file, { force: true });
    }
  }
  return false;
}

/** Undefined when nobody has it, or only a dead one. */
export async function findLivingOwner(file: string): Promise<ProcessIdentity | undefined> {
  const owner = await readOwner(file);
  return owner && isAlive(owner) !== 'dead' ? owner : undefined;
}

/** Whether a process has left it without a word: killed, or with the machine. */
export async function isForsaken(file: string): Promise<boolean> {
  const owner = await readOwner(file);
  return owner !== undefined && isAlive(owner) === 'dead';
}

/** Undefined when there is no such file, or nothing in it. */
export async function readOwner(file: string): Promise<ProcessIdentity | undefined> {
  const text = await readFile(file, 'utf8').catch(ignoreMissing);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const giveUpOwnership = (file: string): Promise<void> => rm(file, { force: true });
