import { closeSync, constants, type Dirent, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errnoOf } from '../../domain/error/error.js';
import { systemDescriptors } from '../../exec/filesystem/descriptors.js';
import type { Listing, ListOptions } from '../tool-access.js';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** One descriptor is held for each level. */
const MOST_DEPTH = 100;

/**
 * Files below an open directory. Each directory is opened in the one above without following links: one that is
 * swapped for a link meanwhile is left out.
 */
export async function walkDirectory(
  descriptor: number,
  path: string,
  options: ListOptions,
): Promise<Listing> {
  const walk: Walk = { ...options, paths: [], isWhole: true };
  await visit(walk, { descriptor, path, depth: 0 });
  return { paths: walk.paths, isWhole: walk.isWhole };
}

interface Walk extends ListOptions {
  readonly paths: string[];
  isWhole: boolean;
}

interface Place {
  readonly descriptor: number;
  readonly path: string;
  readonly depth: number;
}

async function visit(walk: Walk, place: Place): Promise<void> {
  await setImmediate();
  for (const entry of readNames(walk, place)) {
    walk.signal?.throwIfAborted();
    if (walk.paths.length >= walk.most) {
      walk.isWhole = false;
      return;
    }
    if (!entry.isDirectory()) walk.paths.push(join(place.path, entry.name));
    else if (!walk.without.has(entry.name)) await enter(walk, place, entry.name);
  }
}

/** How to name what lies in an open directory. */
const atDescriptor = (descriptor: number, path: string): string =>
  systemDescriptors().nameOf(descriptor) ?? path;

function readNames(walk: Walk, { descriptor, path }: Place): Dirent[] {
  try {
    return readdirSync(atDescriptor(descriptor, path), { withFileTypes: true }).filter(
      entry => entry.isFile() || entry.isDirectory() || (walk.withLinks && entry.isSymbolicLink()),
    );
  } catch (error) {
    return leaveOut(walk, error, []);
  }
}

async function enter(walk: Walk, place: Place, name: string): Promise<void> {
  const path = join(place.path, name);
  const descriptor = place.depth < MOST_DEPTH ? openBelow(walk, place, name) : undefined;
  if (descriptor === undefined) {
    walk.isWhole = false;
    return;
  }
  try {
    await visit(walk, { descriptor, path, depth: place.depth + 1 });
  } finally {
    closeSync(descriptor);
  }
}

function openBelow(walk: Walk, { descriptor, path }: Place, name: string): number | undefined {
  try {
    return openSync(join(atDescriptor(descriptor, path), name), DIRECTORY);
  } catch (error) {
    return leaveOut(walk, error, undefined);
  }
}

function leaveOut<T>(walk: Walk, error: unknown, instead: T): T {
  if (errnoOf(error) === undefined) throw error;
  walk.isWhole = false;
  return instead;
}
