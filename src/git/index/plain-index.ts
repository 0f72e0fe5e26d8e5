import type { BytePath } from '../byte-path.js';
import { ENTRY_MODES, entryMode, isOrdinaryEntry, readPaths } from './git-index-entries.js';
import { type DatedIndex, findTreeId, loadDatedIndex } from './git-index-file.js';

/**
 * An index with nothing beyond its tree: no conflict, no submodule, no assume-unchanged, skip-worktree or intent-to-add
 * entry, no resolved conflicts, no shared part. Reading its tree gives the same index.
 */
export interface PlainIndex extends DatedIndex {
  /** The tree that it would be written as. */
  readonly tree: string;
  /** The first file of either kind, undefined when there is none. */
  readonly examples: { readonly file: BytePath | undefined; readonly executable: BytePath | undefined };
}

/**
 * Undefined when there is none or when it is not plain; also for anything unknown, so that a newer format only costs
 * the time to run git. Without the paths of all entries: for 80,000 they take longer than the rest.
 */
export function loadPlainIndex(file: string, idBytes: 20 | 32): PlainIndex | undefined {
  const index = loadDatedIndex(file, idBytes);
  if ('unusable' in index) return undefined;
  const tree = findTreeId(index);
  const hasMore = [...index.extensions.keys()].some(name => !HARMLESS.has(name));
  const entries = tree === undefined || hasMore ? undefined : findExamplesIfPlain(index);
  return tree === undefined || !entries ? undefined : { ...index, tree, ...entries };
}

/** Caches and read optimizations; not `REUC` (resolved conflicts). */
const HARMLESS: ReadonlySet<string> = new Set(['TREE', 'UNTR', 'FSMN', 'EOIE', 'IEOT']);

/** In one loop, because most of it runs before the engine has compiled it. */
function findExamplesIfPlain(index: DatedIndex): Pick<PlainIndex, 'examples'> | undefined {
  let file: number | undefined;
  let executable: number | undefined;
  for (let entry = 0; entry < index.offsets.length; entry++) {
    if (!isOrdinaryEntry(index, entry)) return undefined;
    const mode = entryMode(index, entry);
    if (mode === ENTRY_MODES.file) file ??= entry;
    else if (mode === ENTRY_MODES.executable) executable ??= entry;
    else if (mode !== ENTRY_MODES.link) return undefined;
  }
  const pathOf = (entry: number | undefined) =>
    entry === undefined ? undefined : readPaths(index, [entry])[0];
  return { examples: { file: pathOf(file), executable: pathOf(executable) } };
}
