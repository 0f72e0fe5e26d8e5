import { lstatSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError } from '../../../domain/error/error.js';
import { type BytePath, displayPath } from '../../byte-path.js';
import { type Omitted, omitSpecial } from '../../files/ignored-files.js';
import { type FoundFile, type FoundFiles, walkWorkTree } from '../../files/walk.js';
import { walkOpened } from '../../files/walk-opened.js';
import type { Git } from '../../git.js';
import type { Modes } from '../file-modes.js';
import { type RawFile, toRawFile } from '../raw-files.js';
import type { FOLDERS, PrivateGitMeta } from '../snapshot-meta.js';
import { applyModes, putEmptyDirectories, putFiles, withStaging } from './put-files.js';
import { checkOutRaw } from './raw-checkout.js';

/**
 * The private git directory of a sandboxed workspace. The agent inside writes it, so our git never reads it: it is kept as
 * plain files and no link in it is followed. It brings back commits that were not imported, stashes, other branches and
 * staged changes. What it borrows from the repository is not in it.
 */
export interface PrivateGitFiles {
  readonly files: readonly RawFile[];
  readonly omitted: readonly Omitted[];
  /** Those omitted only because of the limit. */
  readonly beyondLimit: readonly Omitted[];
  readonly meta: PrivateGitMeta | null;
}

/** Where jj in a sandboxed workspace stores its data: next to the git directory, and equally untrusted. */
export const jjBeside = (gitDir: string): string => join(dirname(gitDir), 'jj');

/**
 * Enough for weeks of commits, and it bounds the cost of a snapshot. A partial git directory is worthless: what is beyond the
 * limit is reported before it is deleted (see operations/sandbox/sandbox-risks.ts).
 */
const MOST_PRIVATE_BYTES = 2 * 1024 ** 3;

/** The data of that jj; its commits are in the git directory. FILE_UNREADABLE */
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
  const { found, unreadable } = await walkOpened(gitDir, leftOut => walkWorkTree(gitDir, null, '', leftOut));
  const { taken, beyond } = chooseFiles(found, mostBytes);
  const inFolder = (path: BytePath): BytePath => `${shownAs}/${path}`;
  const what = shownAs === '.git' ? 'the private git directory' : "jj's private data";
  const reason = `part of ${what}, above the limit of ${mostBytes} bytes`;
  const beyondLimit = [
    ...beyond.map(([path, { bytes }]) => ({ path: displayPath(inFolder(path)), bytes, reason })),
    ...unreadable.map(omitted => ({ ...omitted, path: `${shownAs}/${omitted.path}` })),
  ];
  return {
    files: taken.map(([path, file]) => toRawFile(gitDir, path, file)),
    omitted: [...omitSpecial(found.special.map(inFolder)), ...beyondLimit],
    beyondLimit,
    meta: { emptyDirectories: found.emptyDirectories },
  };
}

type Entry = readonly [BytePath, FoundFile];

/** Refs, logs and the index first, which name the objects; then the small objects before the large. */
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
  /** Where to restore it; must not exist. */
  readonly gitDir: string;
  readonly temporaryRoot: string;
}

/** Permissions are the defaults, plus the executable bit of hooks. PATH_EXISTS, UNSAFE_PATH. */
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

/** Regardless of the umask. */
const USUAL_MODES: Modes = {
  file: 0o644,
  executable: 0o755,
  directory: 0o755,
  exceptions: [['', 0o700]],
};
