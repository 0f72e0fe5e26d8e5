import { carrelError } from '../domain/error.js';
import type { Git } from './git.js';
import { listWorktrees } from './locate.js';
import { isRefName } from './ref-name.js';
import { listRefs, type Ref } from './refs.js';

/** Free means: git takes the name, nothing has it, and no branch stands in its way as a file against a folder. */
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

/** The same when the refs are listed already; others among them do no harm. */
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
  const holder = (await listWorktrees(git, commonDir)).find(
    worktree => worktree.branch === `refs/heads/${inTheWay}`,
  );
  throw holder
    ? carrelError('BRANCH_CHECKED_OUT', { branch: inTheWay, path: holder.path })
    : carrelError('BRANCH_EXISTS', { branch: inTheWay });
}

/** The longest name of a file nearly everywhere; git adds `.lock` while it writes. */
const MOST_BYTES = 255 - '.lock'.length;

/** git keeps each part as a file or folder of that name. Half a surrogate pair would come back as something else. */
function isStorable(branch: string): boolean {
  const isText = Buffer.from(branch, 'utf8').toString('utf8') === branch;
  return isText && branch.split('/').every(part => Buffer.byteLength(part) <= MOST_BYTES);
}
