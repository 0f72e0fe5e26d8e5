import { closeSync, constants, mkdirSync, openSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf, isMissing } from '../../domain/error/error.js';
import { type Descriptors, systemDescriptors } from '../../exec/filesystem/descriptors.js';
import { pathWithin } from '../resolve-path.js';

const { O_DIRECTORY, O_NONBLOCK, O_RDONLY } = constants;

/** Opening a named pipe would wait for its other end. */
const plainFlags = ({ noFollow }: Descriptors): number => noFollow | O_NONBLOCK;

export const LEADS_OUT = 'it leads out of the working directory, which is not allowed';

/**
 * Opens the target of a path below `root`, following links inside the directory; undefined when it leads out of it. The
 * path is resolved first, and then opened name by name without following any link, so that a link put in the
 * place of a directory meanwhile fails (ELOOP, ENOTDIR) instead of leading out. Below the descriptor of a directory Linux
 * continues from that very directory. Without /proc each name is checked the same way, but by its path; macOS then follows
 * no link anywhere on it, but may make a directory through one. Throws errno errors. With `makes`, directories that are
 * missing are made.
 */
export function openConfined(
  root: string,
  path: string,
  { flags, makes = false }: { flags: number; makes?: boolean | undefined },
  descriptors = systemDescriptors(),
): number | undefined {
  const start = realpathSync(root);
  const way = pathWithin(start, makes ? resolveExisting(path) : realpathSync(path));
  if (way === undefined) return undefined;
  const names = way.split('/').filter(Boolean);
  const last = names.pop();
  if (last === undefined) return openSync(start, flags | plainFlags(descriptors));
  const parent = openDirectory(descriptors, start, names, makes);
  try {
    return openSync(join(parent.at, last), flags | plainFlags(descriptors), 0o666);
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

function openDirectory(
  descriptors: Descriptors,
  start: string,
  names: readonly string[],
  makes: boolean,
): OpenDirectory {
  let current = pin(descriptors, start, start);
  let path = start;
  for (const name of names) {
    path = join(path, name);
    try {
      if (makes) makeDirectory(join(current.at, name));
      current = replace(current, pin(descriptors, join(current.at, name), path));
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

function pin(descriptors: Descriptors, at: string, path: string): OpenDirectory {
  const descriptor = openSync(at, O_RDONLY | O_DIRECTORY | plainFlags(descriptors));
  return { descriptor, at: descriptors.nameOf(descriptor) ?? path };
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Describes a failed system call on a path, for the model. */
export function explainPath(error: unknown): string {
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  if (isMissing(error)) return 'no such file or directory';
  if (errno === 'ELOOP') return 'it is a link that is not followed';
  if (errno === 'EISDIR') return 'it is a directory';
  if (errno === 'ENXIO') return 'it is not a regular file';
  return `it cannot be used (${errno})`;
}
