import { closeSync, constants, mkdirSync, openSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf, isMissing } from '../domain/error.js';
import { pathWithin } from './resolve-path.js';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Opening a named pipe would wait for its other end. */
const PLAIN = O_NOFOLLOW | O_NONBLOCK;

/** Below a directory of an open descriptor the kernel goes on from that very directory, whatever its path leads to by now. */
const hasDescriptors = process.platform === 'linux';

export const LEADS_OUT = 'it leads out of the working directory, which is not allowed';

/**
 * Opens what a path below `root` leads to, links within the directory included; undefined when it leads out of it. The
 * path is resolved first, and then gone through name by name without following any link, so that one that is put in the
 * place of a directory meanwhile fails (ELOOP, ENOTDIR) instead of leading out. Without /proc each name is checked the same
 * way, but by its path. Throws errno errors. With `makes`, directories that are missing are made.
 */
export function openConfined(
  root: string,
  path: string,
  { flags, makes = false }: { flags: number; makes?: boolean | undefined },
): number | undefined {
  const start = realpathSync(root);
  const way = pathWithin(start, makes ? resolveExisting(path) : realpathSync(path));
  if (way === undefined) return undefined;
  const names = way.split('/').filter(Boolean);
  const last = names.pop();
  if (last === undefined) return openSync(start, flags | PLAIN);
  const parent = openDirectory(start, names, makes);
  try {
    return openSync(join(parent.at, last), flags | PLAIN, 0o666);
  } finally {
    closeSync(parent.descriptor);
  }
}

/** The real path of what is there, and then the names that are not. A link to nothing is such a name. */
function resolveExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return join(resolveExisting(dirname(path)), basename(path));
  }
}

interface OpenDirectory {
  readonly descriptor: number;
  /** What names in it are joined to. */
  readonly at: string;
}

function openDirectory(start: string, names: readonly string[], makes: boolean): OpenDirectory {
  let current = pin(start, start);
  let path = start;
  for (const name of names) {
    path = join(path, name);
    try {
      if (makes) makeDirectory(join(current.at, name));
      current = replace(current, pin(join(current.at, name), path));
    } catch (error) {
      closeSync(current.descriptor);
      throw error;
    }
  }
  return current;
}

function replace(old: OpenDirectory, next: OpenDirectory): OpenDirectory {
  closeSync(old.descriptor);
  return next;
}

function pin(at: string, path: string): OpenDirectory {
  const descriptor = openSync(at, O_RDONLY | O_DIRECTORY | PLAIN);
  return { descriptor, at: atDescriptor(descriptor, path) };
}

/** How to name what lies in an open directory. */
export const atDescriptor = (descriptor: number, path: string): string =>
  hasDescriptors ? `/proc/self/fd/${descriptor}` : path;

function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** What a failed system call says about a path, for the model. */
export function explainPath(error: unknown): string {
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  if (isMissing(error)) return 'there is no such file';
  if (errno === 'ELOOP') return 'it is a link that is not followed';
  if (errno === 'EISDIR') return 'it is a directory';
  if (errno === 'ENXIO') return 'it is no regular file';
  return `it can't be used (${errno})`;
}
