import { createHash } from 'node:crypto';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import { sanitizeForFolder } from '../../domain/name.js';

export interface FolderRequest {
  /** Directory of all workspaces. It need not exist and may be a symbolic link. */
  readonly root: string;
  /** The repository's name. */
  readonly project: string;
  /** The workspace's name, or its branch. */
  readonly name: string;
  /** Whether a record has that path already. */
  readonly isTaken: (path: string) => Promise<boolean> | boolean;
}

const MOST_ATTEMPTS = 100;

/**
 * The path for the files of a new workspace: `<root>/<project>/<name>`, with a short hash of the real name when that is
 * taken. Nothing is created, and no existing path is ever chosen. UNSAFE_PATH when a symbolic link leads elsewhere.
 */
export async function chooseFolder(request: FolderRequest): Promise<string> {
  const root = await resolveRoot(request.root);
  const project = join(root, sanitizeForFolder(request.project));
  await requireOwnDirectory(project, root);
  const occupied = await listFolded(project);
  for (const folder of candidates(request.name)) {
    const path = join(project, folder);
    // A file system that ignores case would give both names the same directory.
    if (!occupied.has(folder.toLowerCase()) && !(await request.isTaken(path))) return path;
  }
  throw carrelError('PATH_EXISTS', { path: join(project, sanitizeForFolder(request.name)) });
}

/**
 * The real path, also of a directory that does not exist yet. Another process may create it at this moment, or remove it
 * while empty. STATE_NOT_WRITABLE when a parent is a file.
 */
export async function resolveRoot(root: string): Promise<string> {
  const entry = await lstat(root).catch(ignoreMissing);
  const real = entry && (await realpath(root).catch(ignoreMissing));
  if (real === undefined) {
    // It exists but has no real path: a dangling link.
    if (entry?.isSymbolicLink()) throw carrelError('UNSAFE_PATH', { path: root, root });
    return join(await resolveRoot(dirname(root)), basename(root));
  }
  const found = await lstat(real).catch(ignoreMissing);
  if (found && !found.isDirectory())
    throw carrelError('STATE_NOT_WRITABLE', { path: real, problem: 'it is a file' });
  return real;
}

async function requireOwnDirectory(path: string, root: string): Promise<void> {
  const info = await lstat(path).catch(ignoreMissing);
  if (!info || info.isDirectory()) return;
  throw info.isSymbolicLink()
    ? carrelError('UNSAFE_PATH', { path, root })
    : carrelError('PATH_EXISTS', { path });
}

/** Every name in the directory, dangling symbolic links included, in lower case. */
async function listFolded(directory: string): Promise<ReadonlySet<string>> {
  const names = await readdir(directory).catch(ignoreMissing);
  return new Set(names?.map(name => name.toLowerCase()));
}

function* candidates(name: string): Generator<string> {
  const folder = sanitizeForFolder(name);
  yield folder;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    yield `${folder}-${createHash('sha256').update(`${name}\0${attempt}`).digest('hex').slice(0, 6)}`;
  }
}
