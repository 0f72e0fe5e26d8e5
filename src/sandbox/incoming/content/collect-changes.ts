import type { ObjectReader } from '../incoming-object-reader.js';
import type { ContentRequest } from './content-policy.js';
import { describeEntry } from './describe-entry.js';
import { findNewTwins, isNewRepository } from './directory-rules.js';
import type { Findings } from './findings.js';
import { checkPath, foldName, LONGEST_PATH } from './path-rules.js';
import { DIRECTORY, MODES, mostEntries, parseTree, SUBMODULE, SYMLINK, type Tree } from './tree-object.js';
import { type ChangedDirectory, type ChangedEntry, walkChanges } from './walk-changes.js';

/** What has to be checked by content. */
export interface CollectedChanges {
  /** Files with a content that no parent has at their path, the first of each content. */
  readonly files: ReadonlyMap<string, ChangedEntry>;
  readonly symlinks: readonly ChangedEntry[];
  readonly moduleLists: readonly ChangedEntry[];
}

/** Walks all new commits and checks names and modes. */
export async function collectChanges(
  { commits, limits }: ContentRequest,
  reader: ObjectReader,
  findings: Findings,
): Promise<CollectedChanges> {
  const collected = { files: new Map<string, ChangedEntry>(), symlinks: [], moduleLists: [] };
  let count = 0;
  const visitor = {
    load: createTreeLoader(reader, limits.entries, findings),
    onDirectory: (directory: ChangedDirectory) => checkDirectory(directory, findings),
    onEntry: (entry: ChangedEntry) => {
      count += 1;
      if (count > limits.entries)
        findings.stop(`more than ${limits.entries} files and directories are changed`);
      checkEntry(entry, findings);
      collect(entry, collected);
    },
  };
  for (const commit of commits) await walkChanges(commit, visitor);
  return collected;
}

/** Names that are read, as a multiple of the entries that may be changed: a large directory is read for one new file. */
const READ_PER_CHANGE = 20;
/** Names that are kept in memory. */
const KEPT = 100_000;

/** Consecutive commits share directories, so what was read is cached. */
function createTreeLoader(reader: ObjectReader, limit: number, findings: Findings) {
  const kept = new Map<string, Tree>();
  let keptCount = 0;
  let readCount = 0;
  const load = async (name: string): Promise<Tree> => {
    const content = (await reader.read(name)) ?? Buffer.alloc(0);
    if (mostEntries(content) > limit) findings.stop('a directory has too many entries');
    const tree = parseTree(content, name.replace('^{tree}', '').length / 2);
    keptCount += tree.size;
    if (keptCount > KEPT) kept.clear();
    if (keptCount > KEPT) keptCount = tree.size;
    kept.set(name, tree);
    return tree;
  };
  return (name: string): Tree | Promise<Tree> => {
    const known = kept.get(name);
    readCount += known?.size ?? 1;
    if (readCount > limit * READ_PER_CHANGE) findings.stop('changed directories have too many entries');
    return known ?? load(name);
  };
}

function checkDirectory({ commit, path, tree, before }: ChangedDirectory, findings: Findings): void {
  const inside = path === '' ? '' : `${path}/`;
  for (const names of findNewTwins(tree, before)) {
    const all = names.map(name => `${inside}${name}`).join(' and ');
    findings.add(`${describeEntry({ commit, path: all })} are the same name on some file systems`);
  }
  if (isNewRepository(tree, before))
    findings.add(`${describeEntry({ commit, path })} looks like a git repository`);
}

function checkEntry(entry: ChangedEntry, findings: Findings): void {
  if (!MODES.has(entry.mode)) findings.add(`${describeEntry(entry)} has the mode ${entry.mode}`);
  if (entry.mode === SUBMODULE && !entry.before.some(({ mode }) => mode === SUBMODULE))
    findings.add(`${describeEntry(entry)} is a nested repository (a new submodule)`);
  // Everything below it is longer.
  if (entry.path.length > LONGEST_PATH)
    findings.stop(`${describeEntry(entry)} has a path of more than ${LONGEST_PATH} bytes`);
  const problem = entry.before.length === 0 ? checkPath(entry.path) : undefined;
  if (problem !== undefined) findings.add(`${describeEntry(entry)} ${problem}`);
}

interface Collecting {
  readonly files: Map<string, ChangedEntry>;
  readonly symlinks: ChangedEntry[];
  readonly moduleLists: ChangedEntry[];
}

function collect(entry: ChangedEntry, { files, symlinks, moduleLists }: Collecting): void {
  if (entry.mode === DIRECTORY || entry.mode === SUBMODULE) return;
  if (!files.has(entry.id)) files.set(entry.id, entry);
  if (entry.mode === SYMLINK) symlinks.push(entry);
  if (foldName(entry.path) === '.gitmodules') moduleLists.push(entry);
}
