import { lstat, readdir, readFile, rename, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { readMountTable } from '../../exec/filesystem/mount-table.js';
import { lowerLayersOf, unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { findProcess } from '../../exec/process/process-table.js';
import { findScratchOwner, withScratchDirectory } from '../../git/disk/scratch-directory.js';
import type { Git } from '../../git/git.js';
import { listRefs, updateRefs } from '../../git/refs/refs.js';
import { listMounts } from '../files/mounts.js';
import { removeTree } from '../files/remove-tree.js';
import {
  LAYER_SUFFIX,
  pinsOf,
  type TemplatesPlace,
  templateOfLayer,
  templatesOf,
  usersOf,
} from './template-place.js';

/** Unused templates kept for later use: whole trees, and the small layers over them. */
const MOST_UNUSED = { trees: 2, layers: 16 };

/**
 * Deletes unused templates beyond a number, the longest unused first, and drafts left by dead processes.
 */
export async function evictTemplates(git: Git, place: TemplatesPlace): Promise<void> {
  await evictBeyond(git, place, MOST_UNUSED);
}

/** Deletes all templates that are not in use. */
export async function evictAllTemplates(git: Git, place: TemplatesPlace): Promise<void> {
  await evictBeyond(git, place, { trees: 0, layers: 0 });
  const parent = templatesOf(place);
  await rmdir(parent).catch(() => undefined);
  await rmdir(dirname(parent)).catch(() => undefined);
}

/** Layers first: they use trees. */
async function evictBeyond(git: Git, place: TemplatesPlace, most: typeof MOST_UNUSED): Promise<void> {
  const parent = templatesOf(place);
  const names = await readdir(parent).catch(ignoreMissing);
  if (!names) return;
  await removeAbandonedDrafts(parent, names);
  const kept = names.filter(name => findScratchOwner(name) === undefined);
  const isLayer = (name: string) => name.endsWith(LAYER_SUFFIX);
  await evictOldest(parent, kept.filter(isLayer), most.layers);
  await evictOldest(
    parent,
    kept.filter(name => !isLayer(name)),
    most.trees,
  );
  await removeUnusedPins(git, place);
}

async function evictOldest(parent: string, names: readonly string[], most: number): Promise<void> {
  const unused = await findUnused(parent, names);
  for (const directory of unused.slice(0, Math.max(0, unused.length - most))) await evict(parent, directory);
}

async function removeAbandonedDrafts(parent: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const owner = findScratchOwner(name);
    if (owner === undefined || findProcess(owner)) continue;
    for (const target of listMounts(join(parent, name))) await unmountOverlay(target);
    await removeTree(join(parent, name));
  }
}

/** Oldest use first. */
async function findUnused(parent: string, names: readonly string[]): Promise<string[]> {
  const found: { directory: string; usedAt: number }[] = [];
  for (const name of names) {
    const directory = join(parent, name);
    if (!(await isUsed(directory))) found.push({ directory, usedAt: await findLastUse(directory) });
  }
  return found.sort((a, b) => a.usedAt - b.usedAt).map(({ directory }) => directory);
}

/** Removes it to make room for another; not while an overlay uses it, mounted or not. */
export async function evictUnused(directory: string): Promise<void> {
  if (!(await isUsed(directory))) await evict(dirname(directory), directory);
}

async function isUsed(directory: string): Promise<boolean> {
  const isMounted = readMountTable()
    .flatMap(lowerLayersOf)
    .some(layer => templateOfLayer(layer) === directory);
  return isMounted || (await hasUsers(directory));
}

/** Drops users that no longer exist. */
async function hasUsers(directory: string): Promise<boolean> {
  const users = usersOf(directory);
  for (const name of (await readdir(users).catch(ignoreMissing)) ?? []) {
    // A user may remove its own entry at the same moment.
    const path = await readFile(join(users, name), 'utf8').catch(ignoreMissing);
    if (path && (await lstat(path).catch(ignoreMissing))) return true;
  }
  return false;
}

async function findLastUse(directory: string): Promise<number> {
  const info = (await lstat(usersOf(directory)).catch(ignoreMissing)) ?? (await lstat(directory));
  return info.mtimeMs;
}

/** Another process may have started to use it after the check: then it is put back, and that process finds it on retry. */
async function evict(parent: string, directory: string): Promise<void> {
  await withScratchDirectory(parent, async scratch => {
    const away = join(scratch, basename(directory));
    // Another process may be doing the same.
    const isMoved = await rename(directory, away).then(() => true, ignoreMissing);
    if (!isMoved) return;
    if (await hasUsers(away)) await rename(away, directory);
    else await removeTree(away);
  });
}

async function removeUnusedPins(git: Git, place: TemplatesPlace): Promise<void> {
  const { commonDir: gitDir } = place;
  const names = (await readdir(templatesOf(place)).catch(ignoreMissing)) ?? [];
  const refs = await listRefs(git, { gitDir }, [pinsOf(place)]);
  const idle = refs.filter(({ ref }) => !names.some(name => name.startsWith(`${basename(ref)}-`)));
  // A template in the making is pinned first: while there is a draft in the directory, the pins stay.
  if (idle.length === 0 || names.some(name => findScratchOwner(name) !== undefined)) return;
  await updateRefs(
    git,
    { gitDir },
    idle.map(({ ref, commit }) => ({ ref, from: commit, to: null })),
  );
}
