import { isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { BytePath } from '../../git/byte-path.js';
import { findUnreadable } from '../../git/files/open-unreadable.js';
import { unescapePath } from '../../git/files/tree-path.js';
import type { Git } from '../../git/git.js';
import type { TreeFile } from '../../git/objects/write-objects.js';
import { captureDirectory } from '../../git/snapshot/capture/directory-snapshot.js';
import { isLeftOut } from '../../git/work-tree-place.js';
import type { DirectoryBackendOptions } from './backend.js';
import { findBase } from './directory-base.js';
import { withScratchVault } from './vault.js';

/** The files of a workspace at creation and now, with a repository that has the objects of both. */
export interface Comparison {
  readonly objectStore: string;
  readonly before: readonly TreeFile[];
  readonly now: readonly TreeFile[];
  /** What can't be read, and is in neither list. */
  readonly leftOut: ReadonlySet<BytePath>;
}

/** Like `compareWithBase`, and what can't be read is left out. */
export async function compareReadable<T>(
  options: DirectoryBackendOptions,
  record: WorkspaceRecord,
  action: (comparison: Comparison) => Promise<T>,
): Promise<T> {
  try {
    return await compareWithBase(options, record, action);
  } catch (error) {
    if (!isCarrelError(error, 'FILE_UNREADABLE')) throw error;
    return compareWithBase(options, record, action, findUnreadable(record.path));
  }
}

/**
 * Hashes every file; those not in the vault are stored temporarily while `action` runs. FILE_UNREADABLE for what is not
 * left out.
 */
export async function compareWithBase<T>(
  { git, vaultDir, temporaryRoot }: DirectoryBackendOptions,
  record: WorkspaceRecord,
  action: (comparison: Comparison) => Promise<T>,
  leftOut: ReadonlySet<BytePath> = new Set(),
): Promise<T> {
  return withScratchVault(git, vaultDir, temporaryRoot, async objectStore => {
    const base = await findBase(git, vaultDir, record);
    const now = new Date(record.createdAt);
    const request = { ref: 'refs/carrel/now', message: null, now, temporaryRoot, leftOut };
    const { commit } = await captureDirectory(git, { objectStore, directory: record.path }, request);
    // Without a base every file counts as new.
    const before = base ? await listFiles(git, objectStore, base) : [];
    return action({
      objectStore,
      before: before.filter(({ path }) => !isLeftOut({ leftOut }, path)),
      now: await listFiles(git, objectStore, commit),
      leftOut,
    });
  });
}

export interface FileChanges {
  /** Edited, deleted, or changed in type or mode. */
  readonly changed: readonly BytePath[];
  readonly added: readonly BytePath[];
}

export function listChanges({ before, now }: Comparison): FileChanges {
  const present = new Map(now.map(file => [file.path, file]));
  const known = new Set(before.map(file => file.path));
  const isSame = (file: TreeFile) => {
    const other = present.get(file.path);
    return other?.id === file.id && other.mode === file.mode;
  };
  return {
    changed: before.filter(file => !isSame(file)).map(file => file.path),
    added: now.filter(file => !known.has(file.path)).map(file => file.path),
  };
}

/** A captured directory keeps its files below this folder, with names that git would refuse escaped. */
const FOLDER = 'files/';

async function listFiles(git: Git, gitDir: string, commit: string): Promise<TreeFile[]> {
  const records = await git.records(['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', commit], {
    gitDir,
  });
  return records.flatMap(record => {
    // `100644 blob <id>`, a tab, the path.
    const [facts = '', path = ''] = splitOnce(record, '\t');
    const [mode = '', , id = ''] = facts.split(' ');
    return path.startsWith(FOLDER) ? [{ mode, id, path: unescapePath(path.slice(FOLDER.length)) }] : [];
  });
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
