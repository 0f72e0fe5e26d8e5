import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { constants, copyFile, link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { errnoOf, ignoreMissing } from '../domain/error.js';
import { isSameProcess, type ProcessIdentity } from '../domain/process-identity.js';
import { isAlive } from '../exec/process-identity.js';

/** Takes a run for this process; false when a living one has it. The file of a dead one is taken over. */
export async function takeOwnership(file: string, self: ProcessIdentity): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
    for (let attempt = 1; attempt <= 3; attempt++) {
      if (await putInPlace(draft, file)) return true;
      const found = await readFile(file, 'utf8').catch(ignoreMissing);
      if (found === undefined) continue;
      const owner = parseOwner(found);
      return (!isLiving(owner) || isLeftTo(owner, self)) && (await takeOver(file, found, self));
    }
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Whole from its first moment: nobody reads an empty file and takes it for a dead one's. False when there is one. */
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
 * Of all that found the same dead owner one may put itself in its place, by a claim that is owned in the same way; whoever
 * gets the claim later finds another owner. Removing the file instead could remove what the faster one has just put there.
 */
async function takeOver(file: string, found: string, self: ProcessIdentity): Promise<boolean> {
  const claim = `${file}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`;
  if (!(await takeOwnership(claim, self))) return false;
  try {
    if ((await readFile(file, 'utf8').catch(ignoreMissing)) !== found) return false;
    const draft = `${file}.${randomUUID()}`;
    await writeFile(draft, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
    await rename(draft, file);
    return true;
  } finally {
    await giveUpOwnership(claim);
  }
}

/**
 * Leaves a run that nobody has to a process that was started for it: from now on that is its owner, although it takes it only
 * when it has come so far. False when somebody was faster. Synchronous, so that it is done before that process looks.
 */
export function leaveOwnership(file: string, to: ProcessIdentity): boolean {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, JSON.stringify({ ...to, isLeft: true }), { flag: 'wx', mode: 0o600 });
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

/** What is left to this process, and not yet taken by another part of it. */
const isLeftTo = (owner: Owner | undefined, self: ProcessIdentity): boolean =>
  owner?.isLeft === true && isSameProcess(owner, self);

interface Owner extends ProcessIdentity {
  readonly isLeft?: boolean;
}

/** Undefined when nobody has it, or only a dead one. */
export async function findLivingOwner(file: string): Promise<ProcessIdentity | undefined> {
  const owner = await readOwner(file);
  return isLiving(owner) ? owner : undefined;
}

const isLiving = (owner: ProcessIdentity | undefined): boolean =>
  owner !== undefined && isAlive(owner) !== 'dead';

/** Whether a process has left it without a word: killed, or with the machine. */
export async function isForsaken(file: string): Promise<boolean> {
  const owner = await readOwner(file);
  return owner !== undefined && isAlive(owner) === 'dead';
}

/** Undefined when there is no such file, or nothing in it. */
export async function readOwner(file: string): Promise<ProcessIdentity | undefined> {
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

export const giveUpOwnership = (file: string): Promise<void> => rm(file, { force: true });
