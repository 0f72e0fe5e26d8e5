import { readObjectInfos } from '../../../git/objects/read-objects.js';
import type { CollectedChanges } from './collect-changes.js';
import type { ContentRequest } from './content-policy.js';
import { describeEntry } from './describe-entry.js';
import type { Findings } from './findings.js';
import { LONGEST_TARGET } from './symlink-rules.js';
import type { ChangedEntry } from './walk-changes.js';

/** Of a list of submodules; the largest known ones have a few hundred. */
const LONGEST_MODULE_LIST = 1024 ** 2;

/** Checks the sizes of files, and returns the entries whose content is small enough to be read. */
export async function checkSizes(
  { git, incoming, commonDir, limits, signal }: ContentRequest,
  { files, symlinks, moduleLists }: CollectedChanges,
  findings: Findings,
): Promise<Pick<CollectedChanges, 'symlinks' | 'moduleLists'>> {
  const sizes = new Map<string, number>();
  const ids = [...files.keys()];
  const query = ['cat-file', '--buffer', '--batch-check=%(objectname) %(objectsize)'];
  const { stdout } = await git.run(query, { ...incoming.options, stdin: toLines(ids), signal });
  for (const line of stdout.toString('latin1').split('\n')) {
    const [id = '', size] = line.split(' ');
    sizes.set(id, Number(size));
  }
  const large = ids.filter(id => !((sizes.get(id) ?? 0) <= limits.fileBytes));
  const known = await readObjectInfos(git, commonDir, large);
  for (const [at, id] of large.entries())
    if (!known[at])
      findings.add(`${describeEntry(files.get(id) as ChangedEntry)} has more than ${limits.fileBytes} bytes`);
  return {
    symlinks: keepShort(
      symlinks,
      sizes,
      LONGEST_TARGET,
      'is a link with a target that is too long',
      findings,
    ),
    moduleLists: keepShort(moduleLists, sizes, LONGEST_MODULE_LIST, 'is too large', findings),
  };
}

const toLines = (ids: readonly string[]): string => ids.map(id => `${id}\n`).join('');

function keepShort(
  entries: readonly ChangedEntry[],
  sizes: ReadonlyMap<string, number>,
  limit: number,
  problem: string,
  findings: Findings,
): ChangedEntry[] {
  return entries.filter(entry => {
    const isShort = (sizes.get(entry.id) ?? Number.POSITIVE_INFINITY) <= limit;
    if (!isShort) findings.add(`${describeEntry(entry)} ${problem}`);
    return isShort;
  });
}
