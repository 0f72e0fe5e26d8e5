import { readlinkSync } from 'node:fs';
import { errnoOf } from '../../domain/error.js';
import { type BytePath, toBytePath, toBytes } from '../byte-path.js';
import type { Git } from '../git.js';
import { type TreeFile, writeBlobs, writeFileBlobs } from '../object-writer.js';
import { SYMLINK_MODE } from '../work-tree/index-entries.js';
import { createPinner } from '../work-tree/pinned-file.js';
import type { FoundFile, FoundFiles } from '../work-tree/walk.js';
import { escapePath } from './tree-path.js';

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
  /** Whether somebody hostile may write where the files are (see work-tree/pinned-file.ts). */
  readonly isForeign?: boolean | undefined;
}

export const toRawFile = (root: string, path: BytePath, file: FoundFile): RawFile => ({
  ...file,
  root,
  path,
  source: `${toBytePath(root)}/${path}`,
});

export const toRawFiles = (root: string, found: FoundFiles): RawFile[] =>
  [...found.files].map(([path, file]) => toRawFile(root, path, file));

/** Stores contents; what has vanished meanwhile is left out. */
export async function storeRawFiles(
  git: Git,
  place: ObjectPlace,
  files: readonly RawFile[],
): Promise<TreeFile[]> {
  const regular = files.filter(file => file.kind === 'file');
  const ids = await (place.isForeign ? storePinned : storeNamed)(git, place, regular);
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

const storeNamed = (git: Git, { store }: ObjectPlace, files: readonly RawFile[]) =>
  writeFileBlobs(
    git,
    store,
    files.map(file => file.source),
  );

/** Open at the same time; many a system lets a process have 1024. */
const MOST_OPEN = 200;

/** What a link leads to would be an object of the repository then, and those can be read inside of the sandbox. */
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
    // EINVAL: it is no link any more.
    if (['ENOENT', 'ENOTDIR', 'EINVAL'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}

const toTreeFile = (path: BytePath, mode: string, id: string | undefined): TreeFile[] =>
  id ? [{ path, mode, id }] : [];

/** The same files below a folder of Carrel's own. */
export const inFolder = (folder: string, files: readonly TreeFile[]): TreeFile[] =>
  files.map(file => ({ ...file, path: `${folder}/${escapePath(file.path)}` }));
