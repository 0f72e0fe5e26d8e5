import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../domain/error.js';

/** Others remove the folders that we share while those are empty, so a parent may go between two steps of ours. */
const MOST_TRIES = 50;

/** `mkdir -p` beside others who tidy up. */
export async function makeDirectory(path: string): Promise<void> {
  await whileParentGoes(() => mkdir(path, { recursive: true }));
}

/** Moves a directory below a folder that others may remove while it is empty. Nothing when it is gone already. */
export async function moveInto(from: string, to: string): Promise<void> {
  await whileParentGoes(async () => {
    await mkdir(dirname(to), { recursive: true });
    if (existsSync(from)) await rename(from, to);
  });
}

async function whileParentGoes(action: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await action();
      return;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || attempt === MOST_TRIES) throw error;
    }
  }
}
