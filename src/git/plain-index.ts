import type { BytePath } from './byte-path.js';
import { ENTRY_MODES, entryMode, isOrdinaryEntry, readPaths } from './index-entries.js';
import { type DatedIndex, findTreeId, loadDatedIndex } from './index-file.js';
import { isRacy } from './index-stat.js';

/**
 * An index that says no more than its tree does: no conflict, no submodule, nothing that git was told to look away from
 * or to add later, no memory of settled conflicts, no part elsewhere. Reading its tree makes the same one again.
 */
export interface PlainIndex extends DatedIndex {
  /** The tree that it would be written as. */
  readonly tree: string;
  /**
   * Entries as young as the index itself. git tells times by the second, so it would read these files to know whether
   * they were changed after the index was written.
   */
  readonly young: readonly number[];
  /** The first file of either kind, undefined when there is none. */
  readonly examples: { readonly file: BytePath | undefined; readonly executable: BytePath | undefined };
}

/**
 * Undefined when there is none or when it is not plain; also for anything unknown, so that a newer format merely costs
 * the time of asking git. Without the paths of all entries: for 80,000 they take longer than the rest.
 */
export function loadPlainIndex(file: string, idBytes: 20 | 32): PlainIndex | undefined {
  const index = loadDatedIndex(file, idBytes);
  if ('unusable' in index) return undefined;
  const tree = findTreeId(index);
  const hasMore = [...index.extensions.keys()].some(name => !HARMLESS.has(name));
  const entries = tree === undefined || hasMore ? undefined : judgeEntries(index);
  return tree === undefined || !entries ? undefined : { ...index, tree, ...entries };
}

/** Caches, and helps for reading faster; not `REUC` (resolved conflicts). */
const HARMLESS: ReadonlySet<string> = new Set(['TREE', 'UNTR', 'FSMN', 'EOIE', 'IEOT']);

/** In one go, because most of it is done before the engine has compiled it. */
function judgeEntries(index: DatedIndex): Pick<PlainIndex, 'young' | 'examples'> | undefined {
  const young: number[] = [];
  let file: number | undefined;
  let executable: number | undefined;
  for (let entry = 0; entry < index.offsets.length; entry++) {
    if (!isOrdinaryEntry(index, entry)) return undefined;
    const mode = entryMode(index, entry);
    if (mode === ENTRY_MODES.file) file ??= entry;
    else if (mode === ENTRY_MODES.executable) executable ??= entry;
    else if (mode !== ENTRY_MODES.link) return undefined;
    if (isRacy(index, entry)) young.push(entry);
  }
  const pathOf = (entry: number | undefined) =>
    entry === undefined ? undefined : readPaths(index, [entry])[0];
  return { young, examples: { file: pathOf(file), executable: pathOf(executable) } };
}
