import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreMissing } from '../../../domain/error/error.js';
import type { Context } from '../../../operations/context.js';
import type { ClaimName } from './worker-terms.js';

/** Which signed jobs this host has begun, until their deadlines. */
export interface ClaimMemory {
  /**
   * Remembers that a claim begins a job. False when the nonce was used before, unless it was by an earlier claim on the
   * same row: only the engine hands a job out again.
   */
  begin(nonce: string, claim: ClaimName, deadline: string): Promise<boolean>;
}

/** One directory per nonce, with one file per claim: a file can be created only once. */
export function openClaimMemory(context: Pick<Context, 'places' | 'now'>): ClaimMemory {
  const root = join(context.places.stateDir, 'fleet', 'claims');
  let sweeping: Promise<void> | undefined;
  return {
    begin: async (nonce, { id, number }, deadline) => {
      sweeping ??= removeExpired(root, context.now());
      await sweeping;
      const directory = join(root, nonce);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      for (const name of await readdir(directory)) {
        const before = await readEntry(join(directory, name));
        if (before?.id !== id || Number(name) >= number) return false;
      }
      return createOnce(join(directory, String(number)), JSON.stringify({ id, deadline }));
    },
  };
}

interface Entry {
  readonly id?: unknown;
  readonly deadline?: unknown;
}

async function readEntry(file: string): Promise<Entry | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    // Half written by a killed process: it counts as another claim.
    return undefined;
  }
}

async function createOnce(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** After its deadline a job is refused anyway. */
async function removeExpired(root: string, now: number): Promise<void> {
  for (const nonce of (await readdir(root).catch(ignoreMissing)) ?? []) {
    const directory = join(root, nonce);
    const [name] = await readdir(directory);
    const entry = name === undefined ? undefined : await readEntry(join(directory, name));
    if (typeof entry?.deadline === 'string' && Date.parse(entry.deadline) < now)
      await rm(directory, { recursive: true, force: true });
  }
}
