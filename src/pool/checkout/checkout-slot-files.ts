import { readFileSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { allInOrder } from '../../domain/all-in-order.js';
import { errnoOf } from '../../domain/error/error.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { makeSharedDirectory, moveInto } from '../../git/disk/shared-directory.js';
import type { Git } from '../../git/git.js';
import { haveOtherAttributes } from '../../git/history/attribute-files.js';
import { writePrivateGit } from '../../git/repository/private-git.js';
import { ageIndex, gitIn, keepIndex, parallelCheckout, privateGitOf } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import type { CacheDigests, SlotFiles } from '../slot-files.js';
import { removeStaleCaches } from './checkout-caches.js';
import { resetCheckout } from './reset-checkout.js';

export interface CheckoutDependencies {
  readonly git: Git;
  readonly now: () => number;
  /** Names of ignored directories that tools recreate; alone they do not count as work. */
  readonly regenerable: readonly string[];
  /** Processes that write files at the same time. */
  readonly workers: number;
}

/** Slots with their own files, on any file system. */
export function createCheckoutSlotFiles(dependencies: CheckoutDependencies): SlotFiles {
  return {
    kind: 'checkout',
    findObstacle: (_directory, commonDir) => findObstacle(dependencies.git, commonDir),
    make: (slot, signal) => make(dependencies, slot, signal),
    retarget: (slot, commit, aside, signal) => retarget(dependencies, slot, commit, aside, signal),
    reset: (slot, aside, keep) => resetCheckout(dependencies, slot, aside, keep),
    destroy,
  };
}

/** What a git directory that borrows only objects does not take over from the repository. */
async function findObstacle(git: Git, commonDir: string): Promise<string | null> {
  const pattern = '^(core\\.sparsecheckout|extensions\\.partialclone|remote\\..*\\.promisor)$';
  const settings = await git.records(['config', '--get-regexp', '-z', pattern], {
    gitDir: commonDir,
    answers: [0, 1],
  });
  const found = settings.map(setting => setting.split('\n')).find(([, value]) => value !== 'false');
  if (found?.[0] === 'core.sparsecheckout') return 'the repository has a sparse checkout';
  if (found) return 'the repository is a partial clone';
  return hasRelativeAlternates(commonDir) ? 'the repository borrows objects by a relative path' : null;
}

/** git follows those of a repository itself, and not of one that it borrows from. */
function hasRelativeAlternates(commonDir: string): boolean {
  try {
    const text = readFileSync(join(commonDir, 'objects', 'info', 'alternates'), 'utf8');
    return text.split('\n').some(line => line !== '' && !line.startsWith('#') && !isAbsolute(line));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function make(
  dependencies: CheckoutDependencies,
  slot: SlotRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  await makeSharedDirectory(slot.directory);
  await writePrivateGit(privateGitOf(slot));
  await checkOut(dependencies, slot, slot.commit, signal);
}

async function retarget(
  dependencies: CheckoutDependencies,
  slot: SlotRecord,
  commit: string,
  aside: string,
  signal: AbortSignal | undefined,
): Promise<CacheDigests> {
  const { workTree, gitDir } = slotPlace(slot.directory);
  await Promise.all([lstat(join(workTree, '.git')), lstat(join(gitDir, 'HEAD'))]);
  await ageIndex(slot.directory, dependencies.now());
  if (commit === slot.commit) return slot.caches;
  const { git } = dependencies;
  const caches = await removeStaleCaches(git, slot, commit, aside);
  const [isOther] = await allInOrder([
    haveOtherAttributes(git, { gitDir: slot.commonDir }, slot.commit, commit),
    checkOut(dependencies, slot, commit, signal),
  ]);
  if (isOther) {
    // Without it every file is rewritten.
    await rm(join(gitDir, 'index'));
    await checkOut(dependencies, slot, commit, signal);
  }
  return caches;
}

/** `checkout -f` is faster than `reset --hard` and `read-tree -u` (10 to 20 percent), with a few files to change or all. */
async function checkOut(
  { git, workers }: CheckoutDependencies,
  slot: SlotRecord,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const options = gitIn(slot.directory, { config: parallelCheckout(workers), signal });
  await git.run(['checkout', '--quiet', '--force', '--detach', commit], options);
  await keepIndex(slot.directory);
}

async function destroy(slot: SlotRecord, aside: string): Promise<void> {
  await moveInto(slot.directory, aside);
}
