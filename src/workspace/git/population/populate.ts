import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { allInOrder } from '../../../domain/all-in-order.js';
import type { Population, WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { Git } from '../../../git/git.js';
import { haveOtherAttributes } from '../../../git/history/attribute-files.js';
import type { CreateHooks } from '../../backend.js';
import { canClone } from '../../files/reflink.js';
import { checkLfs, type LfsCheck } from '../../template/lfs.js';
import { findTemplate } from '../../template/template-tree.js';
import { requireCommonDir, worktreeGitDir } from '../worktree-place.js';
import { findObstacle } from './checkout-conversions.js';
import { explainFailedCheckout } from './checkout-room.js';
import { type ClonePlan, type CloneSource, listTreeFiles, planClone, type TreeFile } from './clone-plan.js';
import { cloneTree } from './clone-tree.js';

export interface Populated {
  readonly warnings: readonly string[];
  readonly population: Population;
}

/**
 * Fills the new worktree with the files of its base. Files already at the base need nothing; at another commit git writes
 * the difference. Where the file system can share blocks, files are cloned from an existing checkout, which takes about
 * half the time and hardly any space, and git writes the rest; elsewhere git writes everything. DISK_FULL.
 */
export async function populate(
  git: Git,
  record: WorkspaceRecord,
  { ready, checkoutOnly, signal }: Pick<CreateHooks, 'ready' | 'checkoutOnly' | 'signal'>,
): Promise<Populated> {
  const lfs = await checkLfs(git, record.repository);
  if (ready) {
    if (ready.commit !== record.base.commit) await updateToBase(git, record, ready.commit, lfs, signal);
    return { warnings: lfs.warnings, population: { way: 'spare', reason: null } };
  }
  const clone = checkoutOnly
    ? leaveToGit('workspace.files is set to "checkout"')
    : await cloneFiles(git, record, signal);
  if (!clone.isComplete) await checkOut(git, record, lfs, signal);
  return { warnings: lfs.warnings, population: clone.population };
}

/** Every file is rewritten when its conversion may differ. */
async function updateToBase(
  git: Git,
  record: WorkspaceRecord,
  from: string,
  lfs: LfsCheck,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { commonDir, gitDir } = worktreeGitDir(record);
  const [isOther] = await allInOrder([
    haveOtherAttributes(git, { gitDir: commonDir }, from, record.base.commit as string),
    checkOut(git, record, lfs, signal),
  ]);
  if (!isOther) return;
  await rm(join(gitDir, 'index'));
  await checkOut(git, record, lfs, signal);
}

interface Clone {
  /** Whether nothing is left for git to do. */
  readonly isComplete: boolean;
  readonly population: Population;
}

async function cloneFiles(
  git: Git,
  record: WorkspaceRecord,
  signal: AbortSignal | undefined,
): Promise<Clone> {
  const place = worktreeGitDir(record);
  const checkout = checkoutOf(record);
  if (!(await canClone(join(place.commonDir, 'HEAD'), record.path)))
    return leaveToGit('the file system cannot share blocks');
  if (await isSmall(checkout.indexFile)) return leaveToGit(FEW);
  const obstacle = await findObstacle(git, place);
  if (obstacle) return leaveToGit(obstacle);
  const files = await listTreeFiles(git, place.gitDir, record.base.commit as string);
  if (files.length < FEWEST) return leaveToGit(FEW);
  const plan = await choosePlan(git, record, checkout, files);
  if (!plan) return leaveToGit('no checkout has most of the files');
  const to = { tree: record.path, indexFile: join(place.gitDir, 'index') };
  const { cloned, left } = await cloneTree({ ...plan, to, signal });
  if (cloned === 0) return leaveToGit('the file system cannot share blocks');
  return { isComplete: plan.isWhole && left === 0, population: { way: 'reflink', reason: null } };
}

/** For 150 files git's own checkout is as fast, for 10,000 it takes twice as long; the break-even point was not measured. */
const FEWEST = 500;

const FEW = 'there are few files';

/** Whether an index has fewer entries, from its size alone, so that small repositories need no git process. */
async function isSmall(indexFile: string): Promise<boolean> {
  const info = await stat(indexFile).catch(() => undefined);
  // The shortest entry: 62 bytes, a name of one, and the padding.
  return info !== undefined && info.size < FEWEST * 64;
}

const leaveToGit = (reason: string): Clone => ({
  isComplete: false,
  population: { way: 'checkout', reason },
});

/** The user's own checkout, as far as its files are clean. */
const checkoutOf = (record: WorkspaceRecord): CloneSource => ({
  tree: record.repository,
  indexFile: join(requireCommonDir(record), 'index'),
  isFrozen: false,
});

/** A plan that provides at least half of the files; the user's checkout always exists, a template may. */
async function choosePlan(
  git: Git,
  record: WorkspaceRecord,
  checkout: CloneSource,
  files: readonly TreeFile[],
): Promise<ClonePlan | undefined> {
  const place = worktreeGitDir(record);
  const bringsMost = (
    share: number,
    plan: Awaited<ReturnType<typeof planClone>> | undefined,
  ): plan is ClonePlan => plan !== undefined && 'count' in plan && plan.count >= share * files.length;
  const own = await planClone(git, place, checkout, files);
  if (bringsMost(0.9, own)) return own;
  const template = await findFrozen(git, record);
  const frozen = template && (await planClone(git, place, template, files));
  return [frozen, own].find(plan => bringsMost(0.5, plan));
}

async function findFrozen(git: Git, record: WorkspaceRecord): Promise<CloneSource | undefined> {
  const template = await findTemplate(git, {
    root: dirname(dirname(record.path)),
    repositoryId: record.repositoryId,
    repository: record.repository,
    commonDir: requireCommonDir(record),
    commit: record.base.commit as string,
  });
  return template && { tree: template.tree, indexFile: template.indexFile, isFrozen: true };
}

/** Several workers, when there are enough files to pay off. Files already in place are left alone. */
async function checkOut(
  git: Git,
  record: WorkspaceRecord,
  lfs: LfsCheck,
  signal: AbortSignal | undefined,
): Promise<void> {
  // 150 files: 19 ms with two workers, 13 without (best of 15). The break-even point was not measured.
  const workers = ['checkout.workers=0', 'checkout.thresholdForParallelism=1000'];
  const config = [...workers, 'submodule.recurse=false', ...lfs.config];
  await git
    .run(['reset', '--hard', '--quiet', '--no-recurse-submodules'], {
      ...worktreeGitDir(record),
      config,
      signal,
    })
    .catch(async error => {
      throw await explainFailedCheckout(git, record, error);
    });
}
