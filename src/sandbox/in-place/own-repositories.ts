import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { findHeads } from '../nested-git/bare-look-alike.js';
import type { SandboxPlace } from '../sandbox-place.js';

/**
 * Repositories of the user in a directory that is used as it is: nested ones, submodules, worktrees, bare ones. They were there
 * before anything ran inside, so they are read-only there, and are never covered (see nested-git/cover-nested.ts). One that is
 * replaced or moved counts as made inside from then on.
 */
const OwnSchema = z.array(z.object({ path: z.string(), identity: z.string() }));
type Own = z.infer<typeof OwnSchema>;

/** Names to read; a project has fewer. */
const MOST_NAMES = 5_000_000;
const MOST_REPOSITORIES = 500;
/** Directories between yields. */
const DIRECTORIES_PER_TURN = 64;

export const ownRepositoriesFile = ({ root }: Pick<SandboxPlace, 'root'>): string =>
  join(root, 'own-repositories.json');

/** Before anything runs inside. UNSAFE_DIRECTORY */
export async function recordOwnRepositories(
  { path: root }: WorkspaceRecord,
  place: SandboxPlace,
): Promise<void> {
  const found = await findOwn(root);
  if ('problem' in found) throw carrelError('UNSAFE_DIRECTORY', { path: root, problem: found.problem });
  await write(
    place,
    found.paths.map(path => ({ path, identity: identify(join(root, path)) ?? '' })),
  );
}

const write = (place: Pick<SandboxPlace, 'root'>, own: Own): Promise<void> =>
  writeFile(ownRepositoriesFile(place), JSON.stringify(own));

/** Those that are still the same, by path below the directory; the others are forgotten. */
export async function listOwnRepositories(
  root: string,
  place: Pick<SandboxPlace, 'root'>,
): Promise<string[]> {
  const own = OwnSchema.parse(JSON.parse(await readFile(ownRepositoriesFile(place), 'utf8')));
  const still = own.filter(({ path, identity }) => identify(join(root, path)) === identity);
  if (still.length < own.length) await write(place, still);
  return still.map(({ path }) => path);
}

/** Undefined when it is not there. */
function identify(path: string): string | undefined {
  const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return info && [info.dev, info.ino, info.birthtimeNs, info.isDirectory()].join(' ');
}

type Found = { readonly paths: readonly string[] } | { readonly problem: string };

/** No link is followed. The `.git` at the top is not listed: it is replaced inside. */
async function findOwn(root: string): Promise<Found> {
  const paths: string[] = [];
  const pending = [''];
  let names = 0;
  let directories = 0;
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const entries = listEntries(join(root, directory));
    names += entries.length;
    if (names > MOST_NAMES) return { problem: `has more than ${MOST_NAMES} files` };
    if (findHeads(entries).length > 0) {
      if (directory === '') return { problem: 'is a bare repository' };
      paths.push(directory);
      continue;
    }
    for (const entry of entries) {
      const path = join(directory, entry.name);
      const isRepository = /^\.(git|jj)$/i.test(entry.name);
      if (isRepository && entry.isSymbolicLink()) return { problem: `has a symbolic link at ${path}` };
      if (isRepository && path.includes('\uFFFD'))
        return { problem: `has a repository whose path is not text: ${path}` };
      if (isRepository && path !== '.git') paths.push(path);
      else if (!isRepository && entry.isDirectory()) pending.push(path);
    }
    if (paths.length > MOST_REPOSITORIES)
      return { problem: `has more than ${MOST_REPOSITORIES} repositories in it` };
    directories += 1;
    if (directories % DIRECTORIES_PER_TURN === 0) await setImmediate();
  }
  return { paths: paths.sort() };
}

/** What can't be read can't be read inside either. */
function listEntries(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
