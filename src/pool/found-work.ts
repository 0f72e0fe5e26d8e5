import type { SlotRecord } from '../domain/slot.js';
import type { Git } from '../git/git.js';
import { hasRepositoryIn } from './find-repository.js';
import { listIgnored } from './list-ignored.js';
import type { RenewedGit } from './renew-private-git.js';
import type { Differences, ResetDependencies } from './reset-checkout.js';
import { gitIn } from './slot-git.js';
import { slotPlace } from './slot-place.js';

/**
 * Whether what a lease leaves is anybody's work. In doubt it is: only directories that tools make again, files that were
 * touched and not changed, and an index that was only refreshed are not.
 */
export async function hasWorkIn(
  { git, regenerable }: ResetDependencies,
  slot: SlotRecord,
  renewed: RenewedGit,
  { foreign, touched }: Pick<Differences, 'foreign' | 'touched'>,
): Promise<boolean> {
  if (renewed.hadWork) return true;
  const names = new Set(regenerable);
  if (foreign.some(path => !names.has(path.slice(path.lastIndexOf('/') + 1)))) return true;
  return (
    (touched.length > 0 && (await isChanged(git, slot))) ||
    (await listIgnored(git, slot, foreign)).length < foreign.length ||
    (renewed.index !== null && (await isStaged(git, slot, renewed.index))) ||
    (await hasRepositoryIn(slotPlace(slot.directory).workTree, foreign))
  );
}

/** `diff` looks into files that were only touched, and without optional locks it does not note that they are the same. */
async function isChanged(git: Git, slot: SlotRecord): Promise<boolean> {
  const { pristineIndex } = slotPlace(slot.directory);
  const command = ['diff', '--quiet', '--no-ext-diff', '--ignore-submodules=all'];
  return isDifferent(git, slot, command, pristineIndex);
}

async function isStaged(git: Git, slot: SlotRecord, indexFile: string): Promise<boolean> {
  return isDifferent(git, slot, ['diff-index', '--cached', '--quiet', slot.commit], indexFile);
}

/** Statuses: 0 the same, 1 different, 128 that it can't tell, of a damaged index for instance. */
async function isDifferent(git: Git, slot: SlotRecord, command: string[], indexFile: string) {
  const env = { GIT_OPTIONAL_LOCKS: '0' };
  const result = await git.run(command, gitIn(slot.directory, { indexFile, env, answers: [0, 1, 128] }));
  return result.exitCode !== 0;
}
