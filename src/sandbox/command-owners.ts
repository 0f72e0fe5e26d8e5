import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { SandboxPlace } from './place.js';

const directoryOf = (place: SandboxPlace): string => join(place.root, 'commands');

/**
 * Runs an action while a file says that this process has a command in the sandbox. A container goes on when the process
 * that started a command in it dies; the file is how the next Carrel knows that nobody waits for it any more.
 */
export async function withOwner<T>(
  place: SandboxPlace,
  id: string,
  self: ProcessIdentity,
  action: () => Promise<T>,
): Promise<T> {
  const file = join(directoryOf(place), id);
  await mkdir(directoryOf(place), { recursive: true });
  await writeFile(file, JSON.stringify(self));
  try {
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

/** The processes that have a command in the sandbox, dead ones among them; undefined for a file that was cut short. */
export async function listOwners(place: SandboxPlace): Promise<(ProcessIdentity | undefined)[]> {
  const names = (await readdir(directoryOf(place)).catch(ignoreMissing)) ?? [];
  const texts = await Promise.all(
    names.map(name => readFile(join(directoryOf(place), name), 'utf8').catch(ignoreMissing)),
  );
  return texts.filter(text => text !== undefined).map(parseOwner);
}

export async function forgetOwners(place: SandboxPlace): Promise<void> {
  await rm(directoryOf(place), { recursive: true, force: true });
}

function parseOwner(text: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
