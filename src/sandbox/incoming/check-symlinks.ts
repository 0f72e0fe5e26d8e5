import type { CollectedChanges } from './collect-changes.js';
import { describeEntry } from './describe-entry.js';
import type { Findings } from './findings.js';
import type { ObjectReader } from './object-reader.js';
import { judgeTarget } from './symlink-rules.js';

export async function checkSymlinks(
  reader: ObjectReader,
  { symlinks }: Pick<CollectedChanges, 'symlinks'>,
  findings: Findings,
): Promise<void> {
  for (const entry of symlinks) {
    const target = (await reader.read(entry.id))?.toString('latin1') ?? '';
    const problem = judgeTarget(entry.path, target);
    if (problem !== undefined) findings.add(`${describeEntry(entry)} ${problem}`);
  }
}
