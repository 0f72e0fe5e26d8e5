import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../domain/error/error.js';

/**
 * Creates a directory for its owner only. One level at a time, because Node's own recursive mkdir reports ENOENT on a
 * read-only file system and never returns in /proc (both observed with Node 20).
 */
export function makePrivateDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  makePrivateDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
