import { type BytePath, displayPath } from '../../byte-path.js';
import { unescapePath } from '../../files/tree-path.js';
import type { Git } from '../../git.js';
import { GITLINK_MODE } from '../../index/list-index-entries.js';

/** A file in the trees of a snapshot. */
export interface ExpectedFile {
  /** As git writes it: 100644, 100755, 120000. */
  readonly mode: string;
  /** Of the blob. */
  readonly id: string;
  readonly bytes: number;
}

export type ExpectedFiles = ReadonlyMap<BytePath, ExpectedFile>;

/** All files of a commit or tree by path, submodules left out. */
export async function listTree(git: Git, gitDir: string, tree: string): Promise<ExpectedFiles> {
  const query = ['ls-tree', '-r', '-l', '-z', '--full-tree', tree];
  const records = await git.records(query, { gitDir, env: { GIT_NO_LAZY_FETCH: '1' } });
  return new Map(
    records.flatMap(record => {
      const tab = record.indexOf('\t');
      const [mode = '', , id = '', bytes = ''] = record.slice(0, tab).split(/ +/);
      if (mode === GITLINK_MODE) return [];
      return [[record.slice(tab + 1), { mode, id, bytes: Number(bytes) || 0 }] as const];
    }),
  );
}

/** Those in one of Carrel's own folders, by their real names. */
export const inFolderOf = (files: ExpectedFiles, folder: string): ExpectedFiles =>
  new Map(
    [...files].flatMap(([path, file]) =>
      path.startsWith(`${folder}/`) ? [[unescapePath(path.slice(folder.length + 1)), file] as const] : [],
    ),
  );

export const sumBytes = (...lists: readonly ExpectedFiles[]): number =>
  lists.flatMap(files => [...files.values()]).reduce((sum, { bytes }) => sum + bytes, 0);

/** For messages: where an object is in the snapshot. */
export const describePlace = (path: BytePath): string => (path === '' ? 'a part' : displayPath(path));
