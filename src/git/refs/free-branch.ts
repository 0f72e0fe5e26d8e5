import { carrelError } from '../../domain/error/error.js';
import type { Git } from '../git.js';
import { listBranchHolders } from '../repository/branch-holder.js';
import { isRefName } from './ref-name.js';
import { listRefs, type Ref } from './refs.js';

/** Free means: git accepts the name, it is not taken, and no branch conflicts with it as file versus folder. */
export async function requireFreeBranch(git: Git, commonDir: string, branch: string): Promise<void> {
  const refs = await listRefs(git, { gitDir: commonDir }, patternsAround(branch));
  await requireFreeAmong(refs, git, commonDir, branch);
}

/** Which refs to list to see whether a branch is free. INVALID_BRANCH. */
export function patternsAround(branch: string): string[] {
  if (
    !isRefName(`refs/heads/${branch}`) ||
    branch.startsWith('-') ||
    branch === 'HEAD' ||
    !isStorable(branch)
  )
    throw carrelError('INVALID_BRANCH', { branch });
  return [branch, ...namesAbove(branch)].map(name => `refs/heads/${name}`);
}

function namesAbove(branch: string): string[] {
  const parts = branch.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** The same when the refs are listed already; extra refs are ignored. */
export async function requireFreeAmong(
  refs: readonly Ref[],
  git: Git,
  commonDir: string,
  branch: string,
): Promise<void> {
  const above = namesAbove(branch);
  const inTheWay = refs
    .filter(({ ref }) => ref.startsWith('refs/heads/'))
    .map(({ ref }) => ref.slice('refs/heads/'.length))
    .find(name => name === branch || name.startsWith(`${branch}/`) || above.includes(name));
  if (!inTheWay) return;
  if (inTheWay !== branch) throw carrelError('BRANCH_IN_THE_WAY', { branch, obstacle: inTheWay });
  await requireNotCheckedOut(git, commonDir, branch);
  throw carrelError('BRANCH_EXISTS', { branch });
}

/** BRANCH_CHECKED_OUT, even while a rebase or bisection will return to it: two worktrees must not move one branch. */
export async function requireNotCheckedOut(git: Git, commonDir: string, branch: string): Promise<void> {
  const [holder] = await listBranchHolders(git, commonDir, `refs/heads/${branch}`);
  if (holder) throw carrelError('BRANCH_CHECKED_OUT', { branch, path: holder.worktree.path });
}

/** The longest name of a file nearly everywhere; git adds `.lock` while it writes. */
const MOST_BYTES = 255 - '.lock'.length;

/** git keeps each part as a file or folder of that name. Half a surrogate pair would come back as something else. */
function isStorable(branch: string): boolean {
  const isText = Buffer.from(branch, 'utf8').toString('utf8') === branch;
  return isText && branch.split('/').every(part => Buffer.byteLength(part) <= MOST_BYTES);
}
