import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { Git } from '../../git/git.js';
import { hasRepositoryIn } from '../slot/find-nested-repository.js';
import { listIgnored } from '../slot/list-ignored.js';
import { gitIn } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import { listUnseenEdits } from './find-touched.js';
import type { RenewedGit } from './renew-private-git.js';
import type { Differences, ResetDependencies } from './reset-checkout.js';

/**
 * Whether a lease left work. In doubt it did: only directories that tools recreate, files that were
 * touched but not changed, and an index that was only refreshed do not count.
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
  if (await isDifferent(git, slot, command, pristineIndex)) return true;
  return (await listUnseenEdits(git, slot)).length > 0;
}

async function isStaged(git: Git, slot: SlotRecord, indexFile: string): Promise<boolean> {
  return isDifferent(git, slot, ['diff-index', '--cached', '--quiet', slot.commit], indexFile);
}

/** Statuses: 0 same, 1 different, 128 unknown, for a damaged index for instance. */
async function isDifferent(git: Git, slot: SlotRecord, command: string[], indexFile: string) {
  const env = { GIT_OPTIONAL_LOCKS: '0' };
  const result = await git.run(command, gitIn(slot.directory, { indexFile, env, answers: [0, 1, 128] }));
  return result.exitCode !== 0;
}
