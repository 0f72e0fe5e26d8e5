import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { carrelError, errnoOf } from '../../domain/error/error.js';

/**
 * Several processes share folders, and each removes those that it finds empty. So a parent may disappear between two steps;
 * a recursive mkdir fails with ENOENT then too. Synchronous calls shorten that window to microseconds.
 */
const MOST_TRIES = 50;

/** `mkdir -p` while other processes remove empty folders. */
export async function makeSharedDirectory(path: string): Promise<void> {
  await retryWhileParentDisappears(() => mkdirSync(path, { recursive: true }));
}

/** Makes a directory that did not exist; PATH_EXISTS when it does. */
export async function makeNewDirectory(path: string): Promise<void> {
  await retryWhileParentDisappears(() => {
    mkdirSync(dirname(path), { recursive: true });
    try {
      mkdirSync(path);
    } catch (error) {
      throw errnoOf(error) === 'EEXIST' ? carrelError('PATH_EXISTS', { path }, error) : error;
    }
  });
}

/** Moves a directory into a folder, which is created if needed. Does nothing when the directory is gone. */
export async function moveInto(from: string, to: string): Promise<void> {
  await retryWhileParentDisappears(() => {
    mkdirSync(dirname(to), { recursive: true });
    if (existsSync(from)) renameSync(from, to);
  });
}

/** Replaces a file for the owner only, in a folder that is created if needed; readers never see a part of it. */
export async function replacePrivateFile(file: string, text: string): Promise<void> {
  const draft = `${file}.part`;
  await retryWhileParentDisappears(() => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  });
}

async function retryWhileParentDisappears(action: () => unknown): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      action();
      return;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || attempt === MOST_TRIES) throw error;
    }
    await setTimeout(Math.random() * attempt);
  }
}
