import { lstatSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError } from '../../domain/error.js';
import { type BytePath, displayPath } from '../byte-path.js';
import type { Git } from '../git.js';
import { type Omitted, omitSpecial } from '../work-tree/ignored.js';
import { type FoundFile, type FoundFiles, walkWorkTree } from '../work-tree/walk.js';
import type { Modes } from './file-modes.js';
import { applyModes, putEmptyDirectories, putFiles, withStaging } from './put-files.js';
import { checkOutRaw } from './raw-checkout.js';
import { type RawFile, toRawFile } from './raw-files.js';
import type { FOLDERS, PrivateGitMeta } from './snapshot-meta.js';

/**
 * The git directory that a sandboxed workspace has to itself. Whoever runs inside writes it, so that no git of ours ever
 * reads it: it is kept as plain files, nothing in it is followed, and so come back commits that were not taken over,
 * stashes, other branches and what was staged. What it borrows from the repository is not in it.
 */
export interface PrivateGitFiles {
  readonly files: readonly RawFile[];
  readonly omitted: readonly Omitted[];
  /** Those of the omitted that nothing but the limit keeps out. */
  readonly beyondLimit: readonly Omitted[];
  readonly meta: PrivateGitMeta | null;
}

/** Where the jj of a sandboxed workspace keeps what it has: beside the git directory, and written by the same hands. */
export const jjBeside = (gitDir: string): string => join(dirname(gitDir), 'jj');

/**
 * Commits of weeks fit into that, and it bounds what a snapshot costs. A part of a git directory is worth nothing: what
 * is beyond is told before it is given up (see operations/private-risks.ts).
 */
const MOST_PRIVATE_BYTES = 2 * 1024 ** 3;

/** What that jj keeps; its commits are in the git directory. FILE_UNREADABLE */
export const listPrivateJj = (gitDir: string | undefined, mostBytes?: number): Promise<PrivateGitFiles> =>
  listPrivateGit(gitDir && jjBeside(gitDir), mostBytes, '.jj');

/** Empty when there is none. FILE_UNREADABLE */
export async function listPrivateGit(
  gitDir: string | undefined,
  mostBytes = MOST_PRIVATE_BYTES,
  shownAs: '.git' | '.jj' = '.git',
): Promise<PrivateGitFiles> {
  const isThere = gitDir !== undefined && lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory();
  if (!isThere) return { files: [], omitted: [], beyondLimit: [], meta: null };
  const found = await walkWorkTree(gitDir, null);
  const { taken, beyond } = chooseFiles(found, mostBytes);
  const inFolder = (path: BytePath): BytePath => `${shownAs}/${path}`;
  const what = shownAs === '.git' ? 'the git directory' : 'what jj keeps';
  const reason = `part of ${what} inside, beyond the limit of ${mostBytes} bytes`;
  const beyondLimit = beyond.map(([path, { bytes }]) => ({
    path: displayPath(inFolder(path)),
    bytes,
    reason,
  }));
  return {
    files: taken.map(([path, file]) => toRawFile(gitDir, path, file)),
    omitted: [...omitSpecial(found.special.map(inFolder)), ...beyondLimit],
    beyondLimit,
    meta: { emptyDirectories: found.emptyDirectories },
  };
}

type Entry = readonly [BytePath, FoundFile];

/** Refs, logs and the index first, which say what the objects are for; then the small objects before the large. */
function chooseFiles(
  { files }: FoundFiles,
  mostBytes: number,
): { readonly taken: Entry[]; readonly beyond: Entry[] } {
  const isObject = ([path]: Entry) => path.startsWith('objects/');
  const inOrder = [...files].sort(
    (a, b) => Number(isObject(a)) - Number(isObject(b)) || a[1].bytes - b[1].bytes,
  );
  let left = mostBytes;
  const taken: Entry[] = [];
  const beyond: Entry[] = [];
  for (const entry of inOrder) {
    const fits = entry[1].bytes <= left;
    if (fits) left -= entry[1].bytes;
    (fits ? taken : beyond).push(entry);
  }
  return { taken, beyond };
}

export interface PrivateGitRestoration {
  readonly objectStore: string;
  /** The commit E of the snapshot. */
  readonly extras: string;
  readonly folder: typeof FOLDERS.private | typeof FOLDERS.privateJj;
  readonly meta: PrivateGitMeta;
  /** Where it comes back to; must not exist. */
  readonly gitDir: string;
  readonly temporaryRoot: string;
}

/** Permissions are the usual ones: the executable bit of hooks comes back, and no other. PATH_EXISTS, UNSAFE_PATH. */
export async function restorePrivateGit(git: Git, restoration: PrivateGitRestoration): Promise<void> {
  const { objectStore, extras, folder, meta, gitDir, temporaryRoot } = restoration;
  if (lstatSync(gitDir, { throwIfNoEntry: false })) throw carrelError('PATH_EXISTS', { path: gitDir });
  await mkdir(gitDir, { recursive: true });
  const tree = await git.text(['rev-parse', '--verify', '--quiet', `${extras}:${folder}`], {
    gitDir: objectStore,
    answers: [0, 1],
  });
  await withStaging(gitDir, async staging => {
    if (tree) await checkOutRaw(git, { objectStore, tree, directory: staging, temporaryRoot });
    await putFiles(staging, '', gitDir);
  });
  putEmptyDirectories(gitDir, meta.emptyDirectories);
  await applyModes(gitDir, USUAL_MODES);
}

/** Whatever the umask says. */
const USUAL_MODES: Modes = {
  file: 0o644,
  executable: 0o755,
  directory: 0o755,
  exceptions: [['', 0o700]],
};
