import type { CollectedEntries, ContentRequest } from './content-policy.js';
import { describeEntry } from './describe-entry.js';
import type { Findings } from './findings.js';
import { eachObject } from './object-batch.js';
import { judgeTarget } from './symlink-rules.js';

export async function checkSymlinks(
  { git, incoming, signal }: ContentRequest,
  { symlinks }: Pick<CollectedEntries, 'symlinks'>,
  findings: Findings,
): Promise<void> {
  const ids = symlinks.map(({ id }) => id);
  await eachObject(git, incoming, ids, signal, (at, content) => {
    const entry = symlinks[at];
    const problem = entry && judgeTarget(entry.path, content.toString('latin1'));
    if (problem !== undefined) findings.add(`${describeEntry(entry as NonNullable<typeof entry>)} ${problem}`);
  });
}
