import type { BytePath } from '../../git/byte-path.js';
import type { ChangedEntry } from './changed-entries.js';
import type { CollectedEntries, ContentRequest } from './content-policy.js';
import { describeEntry } from './describe-entry.js';
import { findTwins, isGitDirectory } from './directory-rules.js';
import type { Findings } from './findings.js';
import { eachObject } from './object-batch.js';
import { listTreeNames } from './tree-object.js';

/** Names that are read for this, as a multiple of the entries that may be changed. */
const READ_PER_CHANGE = 20;

/** What is wrong with the names of a directory taken together. */
export async function checkDirectories(
  request: ContentRequest,
  { directories }: Pick<CollectedEntries, 'directories'>,
  findings: Findings,
): Promise<void> {
  const odd = await findOddDirectories(request, directories, findings);
  for (const { entry, twins, isRepository } of odd) {
    const before = await listNamesBefore(request, entry);
    const isNew = (names: readonly BytePath[]) => !before.some(known => names.every(name => known.has(name)));
    for (const pair of twins.filter(isNew))
      findings.add(`${describeEntry({ ...entry, path: nameTwins(entry, pair) })} are one name on some file systems`);
    if (isRepository && !before.some(known => isGitDirectory([...known])))
      findings.add(`${describeEntry(entry)} would be taken for a git repository`);
  }
}

interface OddDirectory {
  readonly entry: ChangedEntry;
  readonly twins: readonly BytePath[][];
  readonly isRepository: boolean;
}

async function findOddDirectories(
  { git, incoming, limits, signal }: ContentRequest,
  directories: readonly ChangedEntry[],
  findings: Findings,
): Promise<OddDirectory[]> {
  const odd: OddDirectory[] = [];
  let count = 0;
  const ids = directories.map(({ id }) => id);
  await eachObject(git, incoming, ids, signal, (at, tree) => {
    const entry = directories[at] as ChangedEntry;
    const names = listTreeNames(tree, idBytesOf(entry));
    count += names.length;
    if (count > limits.entries * READ_PER_CHANGE) findings.stop('directories with too many names are changed');
    const twins = findTwins(names);
    const isRepository = isGitDirectory(names);
    if (twins.length > 0 || isRepository) odd.push({ entry, twins, isRepository });
  });
  return odd;
}

const idBytesOf = ({ commit }: ChangedEntry): number => commit.length / 2;

/** The names that each parent has in the same directory; read for the few that matter. */
async function listNamesBefore(
  { git, incoming, commits, signal }: ContentRequest,
  entry: ChangedEntry,
): Promise<ReadonlySet<BytePath>[]> {
  const lists: ReadonlySet<BytePath>[] = [];
  const parents = commits.find(({ id }) => id === entry.commit)?.parents ?? [];
  const ids = entry.path === '' ? parents.map(id => `${id}^{tree}`) : entry.before.map(({ id }) => id);
  await eachObject(git, incoming, ids, signal, (_, tree) => {
    lists.push(new Set(listTreeNames(tree, idBytesOf(entry))));
  });
  return lists;
}

function nameTwins({ path }: ChangedEntry, names: readonly BytePath[]): BytePath {
  return names.map(name => (path === '' ? name : `${path}/${name}`)).join(' and ');
}

