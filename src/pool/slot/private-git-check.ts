import { type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import { describePrivateGit, linkTo, type PrivateGitRequest } from '../../git/repository/private-git.js';

export interface PrivateGitFindings {
  /** Nothing was done in it: no ref, commit, stash, setting, hook or note of git's own, and the index is untouched. */
  readonly isAsWritten: boolean;
  /** Something was done that a snapshot should hold. Of the index alone this is not said. */
  readonly hasWork: boolean;
}

/**
 * Compares a slot's git directory with what `writePrivateGit` writes. No git runs: its configuration may be anybody's.
 * Without a pristine index the caller knows that the index is untouched.
 */
export async function inspectPrivateGit(
  request: PrivateGitRequest,
  pristineIndex: string | null,
): Promise<PrivateGitFindings> {
  if (!lstatSync(request.gitDir, { throwIfNoEntry: false })?.isDirectory())
    return { isAsWritten: false, hasWork: false };
  const expected = await describePrivateGit(request);
  const found = listFiles(request.gitDir, '');
  const odd = found.filter(file => !isExpected(request.gitDir, file, expected, pristineIndex));
  const isWhole = found.length - odd.length === expected.size + 1;
  const isWork = (file: FoundFile) =>
    !isByTheWay(file.path) && !isHalfWritten(request.gitDir, file, expected);
  return { isAsWritten: isWhole && odd.length === 0, hasWork: odd.some(isWork) };
}

/** The beginning of what we write, as a process leaves it that was killed then: nothing in it is the user's. */
function isHalfWritten(
  gitDir: string,
  { path, isFile }: FoundFile,
  expected: ReadonlyMap<string, string>,
): boolean {
  const content = isFile ? expected.get(path) : undefined;
  return content?.startsWith(readFileSync(join(gitDir, path), 'latin1')) === true;
}

/** Whether the work tree's `.git` leads to the slot's git directory. */
export function isLinkIntact({ gitDir, workTree }: Pick<PrivateGitRequest, 'gitDir' | 'workTree'>): boolean {
  const link = join(workTree, '.git');
  return (
    lstatSync(link, { throwIfNoEntry: false })?.isFile() === true &&
    readFileSync(link, 'utf8') === linkTo(gitDir)
  );
}

interface FoundFile {
  readonly path: string;
  readonly isFile: boolean;
}

function listFiles(root: string, directory: string): FoundFile[] {
  const entries: Dirent<string>[] = readdirSync(join(root, directory), {
    withFileTypes: true,
    encoding: 'latin1',
  });
  return entries.flatMap(entry => {
    const path = join(directory, entry.name);
    if (!entry.isDirectory()) return [{ path, isFile: entry.isFile() }];
    // One is as good as all: of thousands of objects it only matters that there are some.
    return isObjectDirectory(path) ? [{ path, isFile: false }] : listFiles(root, path);
  });
}

const isObjectDirectory = (path: string): boolean =>
  path.startsWith(join('objects', '/')) && path !== join('objects', 'info');

function isExpected(
  gitDir: string,
  { path, isFile }: FoundFile,
  expected: ReadonlyMap<string, string>,
  pristineIndex: string | null,
): boolean {
  if (!isFile) return false;
  if (path === 'index') return pristineIndex === null || isSameFile(join(gitDir, path), pristineIndex);
  const content = expected.get(path);
  return content !== undefined && readFileSync(join(gitDir, path), 'latin1') === content;
}

function isSameFile(file: string, other: string): boolean {
  try {
    return lstatSync(file).size === lstatSync(other).size && readFileSync(file).equals(readFileSync(other));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Objects are reachable from refs, reflogs and the index, or they are unused; a lock is a sign of a killed git. */
const isByTheWay = (path: string): boolean =>
  path === 'index' || path.endsWith('.lock') || path.startsWith(join('objects', '/'));
