import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError } from '../../domain/error.js';
import type { Git } from '../git.js';
import { readBlob } from '../object-reader.js';
import { writeBlobs, writeCommit, writeTree } from '../object-writer.js';
import { updateRefs } from '../refs.js';
import { withScratchDirectory } from '../scratch-directory.js';
import { type IgnoredLimits, type Omitted, omitSpecial } from '../work-tree/ignored.js';
import { readDirectory, statEntry } from '../work-tree/read-directory.js';
import { type FoundFiles, walkWorkTree } from '../work-tree/walk.js';
import { type Modes, summarizeModes } from './file-modes.js';
import { listPrivateHome, type PrivateHomeFiles, restorePrivateHome } from './private-home.js';
import { applyModes, putEmptyDirectories, putFiles, withStaging } from './put-files.js';
import { checkOutRaw } from './raw-checkout.js';
import { inFolder, storeRawFiles, toRawFiles } from './raw-files.js';
import type { Captured } from './request.js';
import type { RestoreRequest } from './restore.js';
import { FOLDERS, formatMeta, META_FILE, type PrivateHomeMeta, parseMeta } from './snapshot-meta.js';

export interface DirectoryPlace {
  /** A git directory, bare or not, that holds the objects and the ref. */
  readonly objectStore: string;
  readonly directory: string;
}

export interface CaptureDirectoryRequest {
  /** Where the snapshot is pinned; must not exist. */
  readonly ref: string;
  readonly message: string | null;
  /** An earlier snapshot, so that `git log` shows them as a line. */
  readonly parent?: string | null | undefined;
  readonly now: Date;
  /** A home that is kept beside the files, where there is one (see private-home.ts). */
  readonly privateHome?: { readonly directory: string; readonly limits: IgnoredLimits } | undefined;
  readonly temporaryRoot: string;
}

interface DirectoryMeta {
  readonly modes: Modes;
  readonly emptyDirectories: FoundFiles['emptyDirectories'];
  readonly omitted: readonly Omitted[];
  readonly privateHome?: PrivateHomeMeta | null;
}

const FILES = 'files';

/** Holds a plain directory, with everything in it, in a commit and pins it. NO_SUCH_DIRECTORY, FILE_UNREADABLE. */
export async function captureDirectory(
  git: Git,
  place: DirectoryPlace,
  request: CaptureDirectoryRequest,
): Promise<Captured> {
  const { objectStore: store, directory } = place;
  if (!statEntry(directory, '')?.isDirectory()) throw carrelError('NO_SUCH_DIRECTORY', { path: directory });
  return withScratchDirectory(request.temporaryRoot, async temporaryRoot => {
    const found = await walkWorkTree(directory, null);
    const files = await storeRawFiles(git, { store, temporaryRoot }, toRawFiles(directory, found));
    const home = await listPrivateHome(request.privateHome?.directory, request.privateHome?.limits);
    const kept = await storeRawFiles(git, { store, temporaryRoot, isForeign: true }, home.files);
    const meta = describe(found, home);
    const [id = ''] = await writeBlobs(git, store, temporaryRoot, [formatMeta(meta)]);
    const folders = [...inFolder(FILES, files), ...inFolder(FOLDERS.privateHome, kept)];
    const added = [{ path: META_FILE, mode: '100644', id }, ...folders];
    const tree = await writeTree(git, store, join(temporaryRoot, 'snapshot-index'), { added });
    const parents = request.parent ? [request.parent] : [];
    const message = request.message ?? 'carrel: snapshot';
    const commit = await writeCommit(git, store, { tree, parents, message, at: request.now });
    await updateRefs(git, { gitDir: store }, [{ ref: request.ref, from: null, to: commit }]);
    return { commit, files: files.length, omitted: meta.omitted };
  });
}

function describe(found: FoundFiles, home: PrivateHomeFiles): DirectoryMeta {
  const files = [...found.files]
    .filter(([, file]) => file.kind === 'file')
    .map(([path, { mode }]) => ({ path, kind: mode & 0o100 ? 'executable' : 'file', mode }) as const);
  const directories = [...found.directories].map(
    ([path, mode]) => ({ path, kind: 'directory', mode }) as const,
  );
  return {
    modes: summarizeModes([...files, ...directories]),
    emptyDirectories: found.emptyDirectories,
    omitted: [...omitSpecial(found.special), ...home.omitted],
    privateHome: home.meta,
  };
}

/** Brings a directory back; it is made when it is not there, and must be empty otherwise. SNAPSHOT_BROKEN, PATH_EXISTS. */
export async function restoreDirectory(
  git: Git,
  place: DirectoryPlace,
  request: Omit<RestoreRequest, 'privateGitDir'>,
): Promise<void> {
  const { objectStore, directory } = place;
  const { commit, privateHome: home, temporaryRoot } = request;
  const meta = parseMeta<DirectoryMeta>(await readBlob(git, objectStore, commit, META_FILE), commit);
  await mkdir(directory, { recursive: true });
  if (readDirectory(directory, '').length > 0) throw carrelError('PATH_EXISTS', { path: directory });
  await withStaging(directory, async staging => {
    await checkOutRaw(git, { objectStore, tree: commit, directory: staging, temporaryRoot });
    await putFiles(staging, FILES, directory);
  });
  putEmptyDirectories(directory, meta.emptyDirectories);
  await applyModes(directory, meta.modes);
  if (meta.privateHome && home !== undefined)
    await restorePrivateHome(git, { objectStore, tree: commit, meta: meta.privateHome, home, temporaryRoot });
}
