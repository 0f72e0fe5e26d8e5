import type { Repository } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { detectBackend } from '../repository/locate-repository.js';

export interface UnlandedQuestion {
  readonly repository: Repository;
  /** What the caller named; undefined for where the user's checkout is. */
  readonly ref: string | undefined;
  readonly commit: string | null;
  readonly branchPrefix: string;
}

/**
 * Whether a base is unlanded work of agents: no branch, tag or remote branch of the user's holds it. The user's own checkout counts as the
 * user's.
 */
export async function isUnlanded(context: Context, question: UnlandedQuestion): Promise<boolean> {
  const { repository, ref, commit } = question;
  const { commonDir: gitDir } = repository;
  if (ref === undefined || commit === null || gitDir === null) return false;
  const { git } = context;
  if (await git.succeeds(['merge-base', '--is-ancestor', commit, 'HEAD'], { gitDir })) return false;
  const places = ['refs/heads', 'refs/tags', 'refs/remotes', 'refs/carrel'];
  const format = '--format=%(refname)';
  const text = await git.text(['for-each-ref', '--contains', commit, format, ...places], { gitDir });
  const holders = text.split('\n').filter(Boolean);
  const isOwn = await findOwnRefs(context, question);
  // A jj change without a bookmark has no ref at all, and is the user's.
  if (holders.length === 0) return (await detectBackend(repository.root)) === 'git';
  return holders.every(isOwn);
}

/** The branches of workspaces and tasks, also of those that are gone, and what was pushed of them; and snapshots. */
async function findOwnRefs(
  { store }: Context,
  { repository, branchPrefix }: UnlandedQuestion,
): Promise<(ref: string) => boolean> {
  const records = await store.workspaces.list({ repositoryId: repository.id });
  const owned = new Set(records.flatMap(({ branch, ownsBranch }) => (ownsBranch && branch ? [branch] : [])));
  const isOwnBranch = (branch: string): boolean =>
    owned.has(branch) || (branchPrefix !== '' && branch.startsWith(branchPrefix));
  return ref => {
    if (ref.startsWith('refs/carrel/')) return true;
    if (ref.startsWith('refs/heads/')) return isOwnBranch(ref.slice('refs/heads/'.length));
    return ref.startsWith('refs/remotes/') && isOwnBranch(ref.split('/').slice(3).join('/'));
  };
}
