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
 * Whether a base is unlanded work of agents: Carrel's own refs hold it, and neither the user's checkout nor a branch that
 * workspaces start from does. Tags and other branches prove nothing, because an agent can make them too.
 */
export async function isUnlanded(
  context: Pick<Context, 'store' | 'git'>,
  question: UnlandedQuestion,
): Promise<boolean> {
  const { repository, ref, commit } = question;
  const { commonDir: gitDir } = repository;
  if (ref === undefined || commit === null || gitDir === null) return false;
  const { git } = context;
  if (await git.succeeds(['merge-base', '--is-ancestor', commit, 'HEAD'], { gitDir })) return false;
  const places = ['refs/heads', 'refs/tags', 'refs/remotes', 'refs/carrel'];
  const format = '--format=%(refname)';
  const text = await git.text(['for-each-ref', '--contains', commit, format, ...places], { gitDir });
  const holders = text.split('\n').filter(Boolean);
  // A jj change without a bookmark has no ref at all, and is the user's.
  if (holders.length === 0) return (await detectBackend(repository.root)) === 'git';
  const { isOwn, isLandedOn } = await sortRefs(context, question);
  return holders.some(isOwn) && !holders.some(isLandedOn);
}

interface RefKinds {
  /** The branches of workspaces and tasks, also of those that are gone, what was pushed of them, and snapshots. */
  readonly isOwn: (ref: string) => boolean;
  /** The branches that workspaces start from, here and at remotes. */
  readonly isLandedOn: (ref: string) => boolean;
}

async function sortRefs(
  { store }: Pick<Context, 'store'>,
  { repository, branchPrefix }: UnlandedQuestion,
): Promise<RefKinds> {
  const records = await store.workspaces.list({ repositoryId: repository.id });
  const owned = new Set(records.flatMap(({ branch, ownsBranch }) => (ownsBranch && branch ? [branch] : [])));
  const isOwnBranch = (branch: string): boolean =>
    owned.has(branch) || (branchPrefix !== '' && branch.startsWith(branchPrefix));
  const bases = new Set(records.flatMap(({ base }) => (base.ref === null ? [] : [base.ref])));
  return {
    isOwn: ref => ref.startsWith('refs/carrel/') || isOwnBranch(branchOf(ref)),
    isLandedOn: ref =>
      (bases.has(branchOf(ref)) || bases.has(ref.replace('refs/remotes/', ''))) &&
      !isOwnBranch(branchOf(ref)),
  };
}

/** Empty unless it is a branch, here or at a remote. */
function branchOf(ref: string): string {
  const [, kind, ...parts] = ref.split('/');
  if (kind === 'heads') return parts.join('/');
  return kind === 'remotes' ? parts.slice(1).join('/') : '';
}
