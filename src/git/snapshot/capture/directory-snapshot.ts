import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError } from '../../../domain/error/error.js';
import type { BytePath } from '../../byte-path.js';
import { withScratchDirectory } from '../../disk/scratch-directory.js';
import { type IgnoredLimits, type Omitted, omitSpecial } from '../../files/ignored-files.js';
import { readDirectory, statEntry } from '../../files/read-directory.js';
import { type FoundFiles, walkWorkTree } from '../../files/walk.js';
import type { Git } from '../../git.js';
import { readBlob } from '../../objects/read-objects.js';
import { writeBlobs, writeCommit, writeTree } from '../../objects/write-objects.js';
import { updateRefs } from '../../refs/refs.js';
import { type Modes, summarizeModes } from '../file-modes.js';
import { inFolder, type KnownBlobs, storeRawFiles, toRawFiles } from '../raw-files.js';
import { listPrivateHome, type PrivateHomeFiles, restorePrivateHome } from '../restore/private-home.js';
import { applyModes, putEmptyDirectories, putFiles, withStaging } from '../restore/put-files.js';
import { checkOutRaw } from '../restore/raw-checkout.js';
import type { RestoreRequest } from '../restore/restore-work-tree.js';
import { FOLDERS, formatMeta, META_FILE, type PrivateHomeMeta, parseMeta } from '../snapshot-meta.js';
import type { Captured } from './capture-request.js';
import {
  type Attempt,
  describeChanged,
  listChangedPaths,
  repeatUntilStable,
  requireStillThere,
  statsOf,
} from './repeat-until-stable.js';

export interface DirectoryPlace {
  /** A git directory, bare or not, that holds the objects and the ref. */
  readonly objectStore: string;
  readonly directory: string;
}

export interface CaptureDirectoryRequest {
  /** Where the snapshot is pinned; must not exist. */
  readonly ref: string;
  readonly message: string | null;
  /** An earlier snapshot, so that `git log` shows them as a linear history. */
  readonly parent?: string | null | undefined;
  /** Files and directories to skip. */
  readonly leftOut?: ReadonlySet<BytePath> | undefined;
  readonly now: Date;
  /** A home directory to keep with the files, if any (see private-home.ts). */
  readonly privateHome?: { readonly directory: string; readonly limits: IgnoredLimits } | undefined;
  readonly temporaryRoot: string;
}

export interface DirectoryMeta {
  readonly modes: Modes;
  readonly emptyDirectories: FoundFiles['emptyDirectories'];
  readonly omitted: readonly Omitted[];
  readonly privateHome?: PrivateHomeMeta | null;
}

/** The folder that they are in. */
export const FILES = 'files';

/**
 * Captures a plain directory with everything in it in a commit and pins it. What changes in the meantime is captured again
 * (see repeat-until-stable.ts). NO_SUCH_DIRECTORY, FILE_UNREADABLE, SNAPSHOT_FILES_GONE.
 */
export async function captureDirectory(
  git: Git,
  place: DirectoryPlace,
  request: CaptureDirectoryRequest,
): Promise<Captured> {
  const { objectStore: store, directory } = place;
  if (!statEntry(directory, '')?.isDirectory()) throw carrelError('NO_SUCH_DIRECTORY', { path: directory });
  const home = await listPrivateHome(request.privateHome?.directory, request.privateHome?.limits);
  const known: KnownBlobs = new Map();
  const { made, changed } = await repeatUntilStable(() => attempt(git, place, request, { home, known }));
  await updateRefs(git, { gitDir: store }, [{ ref: request.ref, from: null, to: made.commit }]);
  return changed.length === 0 ? made : { ...made, changing: describeChanged(changed) };
}

/** One snapshot that is not pinned, and a second check of its sources. */
function attempt(
  git: Git,
  { objectStore: store, directory }: DirectoryPlace,
  request: CaptureDirectoryRequest,
  { home, known }: { readonly home: PrivateHomeFiles; readonly known: KnownBlobs },
): Promise<Attempt<Captured>> {
  return withScratchDirectory(request.temporaryRoot, async temporaryRoot => {
    const found = await walkWorkTree(directory, null, '', request.leftOut);
    const files = await storeRawFiles(git, { store, temporaryRoot, known }, toRawFiles(directory, found));
    const inside = { store, temporaryRoot, isForeign: true, known };
    const kept = await storeRawFiles(git, inside, home.files);
    const meta = describe(found, home);
    const [id = ''] = await writeBlobs(git, store, temporaryRoot, [formatMeta(meta)]);
    const folders = [...inFolder(FILES, files), ...inFolder(FOLDERS.privateHome, kept)];
    const added = [{ path: META_FILE, mode: '100644', id }, ...folders];
    const tree = await writeTree(git, store, join(temporaryRoot, 'snapshot-index'), { added });
    const parents = request.parent ? [request.parent] : [];
    const message = request.message ?? 'carrel: snapshot';
    const commit = await writeCommit(git, store, { tree, parents, message, at: request.now });
    const again = statsOf(await walkWorkTree(directory, null, '', request.leftOut));
    requireStillThere(directory, statsOf(found), again);
    const made = { commit, files: files.length, omitted: meta.omitted };
    return { made, changed: listChangedPaths(statsOf(found), again) };
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

/** Restores a directory; it is created if missing, and must be empty otherwise. SNAPSHOT_BROKEN, PATH_EXISTS. */
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
