import { readlinkSync } from 'node:fs';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import { type BytePath, displayPath, toBytePath, toBytes } from '../byte-path.js';
import { MOST_FILE_BYTES } from '../files/most-file-bytes.js';
import { createPinner } from '../files/pinned-file.js';
import { escapePath } from '../files/tree-path.js';
import type { FoundFile, FoundFiles } from '../files/walk.js';
import type { Git } from '../git.js';
import { SYMLINK_MODE } from '../index/list-index-entries.js';
import { type TreeFile, writeBlobs, writeFileBlobs } from '../objects/write-objects.js';

/** A file or symbolic link that is to be stored as it is. */
export interface RawFile extends FoundFile {
  /** The directory that it was found below. */
  readonly root: string;
  /** Where it is on the disk, absolute. */
  readonly source: BytePath;
  /** What it is called in the snapshot. */
  readonly path: BytePath;
}

export interface ObjectPlace {
  readonly store: string;
  readonly temporaryRoot: string;
  /** Whether a hostile process may write where the files are (see git/files/pinned-file.ts). */
  readonly isForeign?: boolean | undefined;
  /** What an earlier attempt stored; unchanged files are not read again. */
  readonly known?: KnownBlobs | undefined;
}

/** Ids by store and file. */
export type KnownBlobs = Map<string, string>;

export const toRawFile = (root: string, path: BytePath, file: FoundFile): RawFile => ({
  ...file,
  root,
  path,
  source: `${toBytePath(root)}/${path}`,
});

export const toRawFiles = (root: string, found: FoundFiles): RawFile[] =>
  [...found.files].map(([path, file]) => toRawFile(root, path, file));

/** Stores contents; files deleted in the meantime are left out. SNAPSHOT_TOO_LARGE */
export async function storeRawFiles(
  git: Git,
  place: ObjectPlace,
  files: readonly RawFile[],
): Promise<TreeFile[]> {
  const regular = files.filter(file => file.kind === 'file');
  requireHoldable(regular);
  const ids = await storeUnknown(git, place, regular);
  const links = files.filter(file => file.kind === 'symlink').flatMap(readLink);
  const linkIds = await writeBlobs(
    git,
    place.store,
    place.temporaryRoot,
    links.map(link => link.target),
  );
  return [
    ...regular.flatMap((file, at) => toTreeFile(file.path, treeMode(file), ids[at])),
    ...links.flatMap((link, at) => toTreeFile(link.path, SYMLINK_MODE, linkIds[at])),
  ];
}

async function storeUnknown(git: Git, place: ObjectPlace, files: readonly RawFile[]) {
  const { known, store, isForeign } = place;
  const keys = files.map(file => (known && file.changedAt !== undefined ? describeFile(store, file) : ''));
  const isUnknown = (_: RawFile, at: number) => !known?.has(keys[at] ?? '');
  const unknown = files.filter(isUnknown);
  const ids = await (isForeign ? storePinned : storeNamed)(git, place, unknown);
  const idOf = new Map(unknown.map((file, at) => [file, ids[at]]));
  return files.map((file, at) => {
    const key = keys[at] ?? '';
    const id = idOf.get(file) ?? known?.get(key);
    if (known && key !== '' && id !== undefined) known.set(key, id);
    return id;
  });
}

const describeFile = (store: string, { source, bytes, inode, changedAt }: RawFile): string =>
  [store, source, bytes, inode, changedAt].join('\0');

function requireHoldable(files: readonly RawFile[]): void {
  const large = files.find(file => file.bytes > MOST_FILE_BYTES);
  if (!large) return;
  const { path, bytes } = large;
  throw carrelError('SNAPSHOT_TOO_LARGE', { path: displayPath(path), bytes, limit: MOST_FILE_BYTES });
}

const storeNamed = (git: Git, { store }: ObjectPlace, files: readonly RawFile[]) =>
  writeFileBlobs(
    git,
    store,
    files.map(file => file.source),
  );

/** Open at the same time; many a system lets a process have 1024. */
const MOST_OPEN = 200;

/** Following a link would store its target in the repository, where the sandbox can read it. */
async function storePinned(git: Git, { store }: ObjectPlace, files: readonly RawFile[]) {
  const pinners = new Map([...new Set(files.map(file => file.root))].map(root => [root, createPinner(root)]));
  const ids: (string | undefined)[] = [];
  for (let at = 0; at < files.length; at += MOST_OPEN) {
    const pinned = files
      .slice(at, at + MOST_OPEN)
      .map(file => pinners.get(file.root)?.(file.source.slice(toBytePath(file.root).length + 1)));
    try {
      const there = pinned.filter(file => file !== undefined);
      const stored = await writeFileBlobs(
        git,
        store,
        there.map(file => file.path),
      );
      const idOf = new Map(there.map((file, index) => [file, stored[index]]));
      for (const file of pinned) ids.push(file && idOf.get(file));
    } finally {
      for (const file of pinned) file?.close();
    }
  }
  return ids;
}

/** The one permission bit that git keeps. */
export const treeMode = (file: FoundFile): string => {
  if (file.kind === 'symlink') return SYMLINK_MODE;
  return file.mode & 0o100 ? '100755' : '100644';
};

function readLink(file: RawFile): { path: BytePath; target: Buffer }[] {
  try {
    return [{ path: file.path, target: readlinkSync(toBytes(file.source), { encoding: 'buffer' }) }];
  } catch (error) {
    // EINVAL: it is no longer a link.
    if (['ENOENT', 'ENOTDIR', 'EINVAL'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}

const toTreeFile = (path: BytePath, mode: string, id: string | undefined): TreeFile[] =>
  id ? [{ path, mode, id }] : [];

/** The same files below a folder of Carrel's own. */
export const inFolder = (folder: string, files: readonly TreeFile[]): TreeFile[] =>
  files.map(file => ({ ...file, path: `${folder}/${escapePath(file.path)}` }));
