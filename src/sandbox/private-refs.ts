import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRefName } from '../git/ref-name.js';
import { readPackedRefs, readPrivateRef } from './private-head.js';

/** More than anybody makes by hand; the rest need not be looked at to know that there is something. */
const MOST = 10_000;

/**
 * The refs of a private git directory and what they stand at, as its files say it. No git runs there. What does not read
 * plainly has an empty id: it is there, and nobody knows what it is.
 */
export async function listPrivateRefs(gitDir: string): Promise<Map<string, string>> {
  const refs = await readPackedRefs(gitDir);
  for await (const ref of walkRefs(gitDir, 'refs')) {
    if (refs.size >= MOST) break;
    refs.set(ref, (await readPrivateRef(gitDir, ref)).commit ?? '');
  }
  return refs;
}

/** Links are not followed: they lead out of what is private. */
async function* walkRefs(gitDir: string, directory: string): AsyncGenerator<string> {
  const entries: Dirent[] = await readdir(join(gitDir, directory), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) yield* walkRefs(gitDir, path);
    else if (isRefName(path)) yield path;
  }
}
