import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SlotRecord } from '../domain/slot.js';
import { type BytePath, displayPath, toBytePath, toFsPath } from '../git/byte-path.js';
import type { Git } from '../git/git.js';
import { chooseCaches } from './checkout-caches.js';
import { type ForeignFiles, findForeign } from './find-foreign.js';
import { findProblem, isAtCommit } from './find-problem.js';
import { findTouched, listByGit, listChanged } from './find-touched.js';
import { hasWorkIn } from './found-work.js';
import { listIgnored } from './list-ignored.js';
import { moveAside } from './move-aside.js';
import { renewPrivateGit, replacePrivateGit } from './renew-private-git.js';
import type { CacheDigests, KeptCaches, ResetFindings } from './slot-files.js';
import { gitIn, keepIndex, putIndex } from './slot-git.js';
import { slotPlace } from './slot-place.js';
import { loadTrackedFiles, type TrackedFiles } from './tracked-files.js';

export interface ResetDependencies {
  readonly git: Git;
  readonly regenerable: readonly string[];
}

/**
 * First the git directory, because every later step asks git; then all that differs is found, moved aside and brought
 * back from the commit; then everything is looked at again. What can't be done is told as a problem and never thrown:
 * the slot is not handed out again, and why is for people.
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

const NOTHING = { problem: null, hasWork: false, isPartial: true, lower: null, caches: {} } as const;

/** A link in the place of the files would lead the reset to somebody else's. */
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
  const isResumed = isThere(aside);
  const renewed = await renewPrivateGit(slot, aside);
  const { pristineIndex } = slotPlace(slot.directory);
  // On another core while the index is read here.
  const byGit = listByGit(git, slot);
  byGit.catch(() => undefined);
  const tracked = loadTrackedFiles(pristineIndex, slot.commit.length / 2);
  if ('unusable' in tracked) return { ...NOTHING, problem: tracked.unusable, hasWork: true };
  const differences = await findDifferences(git, slot, tracked, keep, byGit);
  const isClean = !isResumed && !renewed.isRenewed && isUnchanged(differences);
  // Of what an interrupted reset has moved, nobody knows any more what it is.
  const hasWork = isResumed || (await hasWorkIn({ git, regenerable }, slot, renewed, differences));
  // Nothing can be captured without one, also when the lease's own was gone.
  if (hasWork && !isThere(join(aside, 'git'))) await replacePrivateGit(slot, aside);
  if (!isClean) await restore(git, slot, aside, differences, isResumed);
  makeSubmoduleDirectories(slot, tracked);
  const found = await findProblem(git, slot, findGone(tracked, differences));
  const problem = found === null || (await isAtCommit(git, slot)) ? found : await returnToCommit(git, slot);
  return { ...NOTHING, problem, hasWork, caches: differences.caches };
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** What is not as it was when the slot was last proven clean. */
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
  byGit: Promise<BytePath[]>,
): Promise<Differences> {
  const { workTree } = slotPlace(slot.directory);
  // git made the directories as this one was made.
  const directoryMode = statSync(slot.directory).mode & 0o7777;
  const rules = { directoryMode, keep: new Set(keep.paths.map(toBytePath)) };
  const [seen, found] = await Promise.all([
    findTouched(slot, tracked, byGit),
    findForeign(workTree, tracked, rules),
  ]);
  // What git could not look into then, it can now.
  const touched = found.reopened > 0 ? await findTouched(slot, tracked, listByGit(git, slot)) : seen;
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

async function restore(
  git: Git,
  slot: SlotRecord,
  aside: string,
  { foreign, touched }: Differences,
  isResumed: boolean,
): Promise<void> {
  const changed = new Set(isResumed ? await listChanged(git, slot) : touched);
  const restored = new Set(touched.filter(path => !changed.has(path)));
  moveAside(slotPlace(slot.directory).workTree, aside, { foreign, touched, restored });
  await putIndex(slot.directory);
  if (touched.length === 0) return;
  const stdin = Buffer.from(touched.map(path => `${path}\0`).join(''), 'latin1');
  const command = ['checkout-index', '--quiet', '--force', '--index', '-z', '--stdin'];
  await git.run(command, gitIn(slot.directory, { stdin }));
  await keepIndex(slot.directory);
}

/** Whoever was killed while it brought the slot to another commit had come there, and did not come to say so. */
async function returnToCommit(git: Git, slot: SlotRecord): Promise<string | null> {
  await git.run(['checkout', '--quiet', '--force', '--detach', slot.commit], gitIn(slot.directory));
  await keepIndex(slot.directory);
  return findProblem(git, slot, []);
}

/** They are empty, so that nothing else in the commit would bring them back. */
function makeSubmoduleDirectories(slot: SlotRecord, { submodules }: TrackedFiles): void {
  const { workTree } = slotPlace(slot.directory);
  for (const submodule of submodules) mkdirSync(toFsPath(workTree, submodule), { recursive: true });
}

/** What has to be gone for good; a directory comes back where a link stood in its place. */
function findGone({ directories, submodules }: TrackedFiles, { foreign }: Differences): BytePath[] {
  return foreign.filter(path => !directories.has(path) && !submodules.includes(path));
}
