import { lstatSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { type BytePath, displayPath, toBytePath, toFsPath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { listIgnored } from '../slot/list-ignored.js';
import { gitIn, keepIndex, readChecksum } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import { listToolDirectories } from '../slot/tool-directories.js';
import type { CacheDigests, KeptCaches, ResetFindings } from '../slot-files.js';
import { chooseCaches } from './checkout-caches.js';
import { hasWorkIn } from './detect-work.js';
import { type ForeignFiles, findForeign } from './find-foreign.js';
import { findTouched } from './find-touched.js';
import { loadTrackedFiles, type TrackedFiles } from './pristine-files.js';
import { isProvenRestored } from './prove-restored.js';
import { renewPrivateGit, replacePrivateGit } from './renew-private-git.js';
import { restoreFiles } from './restore-files.js';
import { findProblem, isAtCommit, type ResetProblem } from './verify-reset.js';

export interface ResetDependencies {
  readonly git: Git;
  readonly regenerable: readonly string[];
}

/**
 * First the git directory, because every later step uses git; then all differences are found, moved aside and restored
 * from the commit; then everything is verified. A failure is returned as a problem and never thrown:
 * the slot is not handed out again, and the reason is shown to the user.
 */
export async function resetCheckout(
  dependencies: ResetDependencies,
  slot: SlotRecord,
  aside: string,
  keep: KeptCaches,
): Promise<ResetFindings> {
  const failed = (problem: string) => ({ ...NOTHING, problem, hasWork: true });
  try {
    const obstacle = findBrokenPart(slot);
    if (obstacle) return failed(obstacle);
    return await reset(dependencies, slot, aside, keep);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

const NOTHING = {
  problem: null,
  hasWork: false,
  isPartial: true,
  lower: null,
  caches: {},
  dropped: [],
} as const;

/** A link in place of the files would make the reset change other files. */
function findBrokenPart({ directory }: SlotRecord): string | null {
  const isDirectory = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isDirectory(directory)) return 'the slot is gone';
  return isDirectory(slotPlace(directory).workTree) ? null : 'the files are gone or replaced';
}

async function reset(
  { git, regenerable }: ResetDependencies,
  slot: SlotRecord,
  aside: string,
  keep: KeptCaches,
): Promise<ResetFindings> {
  const { pristineIndex } = slotPlace(slot.directory);
  const isForged = hasOtherIndex(slot);
  // It is unknown what an interrupted reset has moved, and what a forged index would hide.
  const isResumed = isThere(aside) || isForged;
  if (isForged) rmSync(pristineIndex, { recursive: true, force: true });
  const renewed = await renewPrivateGit(slot, aside);
  if (isForged) await writeIndex(git, slot);
  const tracked = loadTrackedFiles(pristineIndex, slot.commit.length / 2);
  if ('unusable' in tracked) return { ...NOTHING, problem: tracked.unusable, hasWork: true };
  const differences = await findDifferences(git, slot, tracked, keep);
  const isClean = !isResumed && !renewed.isRenewed && isUnchanged(differences);
  const hasWork =
    isResumed || (!keep.discardsWork && (await hasWorkIn({ git, regenerable }, slot, renewed, differences)));
  const { workTree } = slotPlace(slot.directory);
  const dropped = keep.discardsWork
    ? []
    : await listToolDirectories(git, slot, workTree, differences.foreign, regenerable);
  // Nothing can be captured without one, even when the lease's own was gone.
  if (hasWork && !isThere(join(aside, 'git'))) await replacePrivateGit(slot, aside);
  const discardsWork = keep.discardsWork === true;
  if (!isClean) await restoreFiles(git, slot, aside, differences, { isResumed, discardsWork });
  makeSubmoduleDirectories(slot, tracked);
  const gone = findGone(tracked, differences);
  const isProven =
    differences.touched.length > 0 && (await isProvenRestored(slot, tracked, differences.touched));
  const found = await findProblem(git, slot, gone, isProven);
  const problem = found === null ? null : await fix(git, slot, aside, found, gone);
  return { ...NOTHING, problem, hasWork, caches: differences.caches, dropped };
}

/** Whether the pristine index can be read but is not the recorded one. A slot whose index can't be read is quarantined. */
function hasOtherIndex(slot: SlotRecord): boolean {
  if (slot.pristine === undefined || slot.pristine === readChecksum(slot)) return false;
  return !('unusable' in loadTrackedFiles(slotPlace(slot.directory).pristineIndex, slot.commit.length / 2));
}

/** The commit's entries, without anything about the files: all of them count as touched. */
async function writeIndex(git: Git, slot: SlotRecord): Promise<void> {
  const { pristineIndex } = slotPlace(slot.directory);
  await git.run(['read-tree', slot.commit], gitIn(slot.directory, { indexFile: pristineIndex }));
}

/** Why the slot is still not clean after a second try; null when it is. */
async function fix(
  git: Git,
  slot: SlotRecord,
  aside: string,
  { dirty, reason }: ResetProblem,
  gone: readonly BytePath[],
): Promise<string | null> {
  if (!(await isAtCommit(git, slot))) return returnToCommit(git, slot);
  if (dirty.length === 0) return reason;
  // Git sees a difference where the times are the same, as with a filter that gives another result now.
  const options = { isResumed: false, discardsWork: false };
  await restoreFiles(git, slot, aside, { foreign: [], touched: dirty }, options);
  return (await findProblem(git, slot, gone))?.reason ?? null;
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** What has changed since the slot was last proven clean. */
export interface Differences {
  readonly foreign: readonly BytePath[];
  readonly touched: readonly BytePath[];
  readonly caches: CacheDigests;
}

async function findDifferences(
  git: Git,
  slot: SlotRecord,
  tracked: TrackedFiles,
  keep: KeptCaches,
): Promise<Differences> {
  const { workTree, gitDir } = slotPlace(slot.directory);
  // The directories of the work tree were made under the same umask.
  const directoryMode = statSync(gitDir).mode & 0o7777;
  const rules = { directoryMode, keep: new Set(keep.paths.map(toBytePath)) };
  const [seen, found] = await Promise.all([
    findTouched(slot, tracked),
    findForeign(workTree, tracked, rules),
  ]);
  // What could not be looked into then, can be now.
  const touched = found.reopened > 0 ? await findTouched(slot, tracked) : seen;
  const ignored = await listIgnored(git, slot, found.caches);
  return { touched, ...sortCaches(found, ignored, touched, tracked) };
}

function sortCaches(
  found: ForeignFiles,
  ignored: readonly BytePath[],
  touched: readonly BytePath[],
  { index }: TrackedFiles,
): Pick<Differences, 'foreign' | 'caches'> {
  const caches = chooseCaches(ignored, [...touched, ...found.paths], index);
  const dropped = found.caches.filter(cache => caches[displayPath(cache)] === undefined);
  return { foreign: [...found.paths, ...dropped], caches };
}

const isUnchanged = ({ foreign, touched }: Differences): boolean =>
  foreign.length === 0 && touched.length === 0;

/** A process that was killed while it moved the slot to another commit had reached it, but had not recorded it. */
async function returnToCommit(git: Git, slot: SlotRecord): Promise<string | null> {
  await git.run(['checkout', '--quiet', '--force', '--detach', slot.commit], gitIn(slot.directory));
  await keepIndex(slot.directory);
  return (await findProblem(git, slot, []))?.reason ?? null;
}

/** They are empty, so nothing else in the commit would restore them. */
function makeSubmoduleDirectories(slot: SlotRecord, { submodules }: TrackedFiles): void {
  const { workTree } = slotPlace(slot.directory);
  for (const submodule of submodules) mkdirSync(toFsPath(workTree, submodule), { recursive: true });
}

/** What must stay deleted; a directory is recreated where a link had replaced it. */
function findGone({ directories, submodules }: TrackedFiles, { foreign }: Differences): BytePath[] {
  return foreign.filter(path => !directories.has(path) && !submodules.includes(path));
}
