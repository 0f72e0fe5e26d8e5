import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { findUnlanded } from '../../git/history/landed.js';
import { symbolicHead } from '../../git/refs/refs.js';
import type { RiskOptions } from '../backend.js';

/** Whether the commits of a workspace up to `tip` are safe elsewhere in the repository, or on its branch if that stays. */
export async function findUnlandedWork(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  tip: string,
  { keepsBranch = false }: RiskOptions = {},
) {
  const place = { gitDir: record.commonDir as string };
  const current = await symbolicHead(git, place);
  const candidates = [record.base.ref, current].filter(
    name => name !== null && name !== undefined && name !== record.branch,
  );
  return findUnlanded(git, place, {
    tip,
    base: record.base.commit as string,
    ownRefs: record.branch && record.ownsBranch && !keepsBranch ? [`refs/heads/${record.branch}`] : [],
    candidates: [...new Set(candidates)] as string[],
    temporaryRoot,
  });
}

/** Whether a branch with this tip may be deleted: a snapshot holds its commits, or they are safe elsewhere. */
export async function isHeldOrLanded(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  tip: string,
  held: string | null,
): Promise<boolean> {
  const place = { gitDir: record.commonDir as string };
  // After a crash it may have moved since the snapshot was taken.
  if (held && (await git.succeeds(['merge-base', '--is-ancestor', tip, held], place))) return true;
  return (await findUnlandedWork(git, temporaryRoot, record, tip)).landed;
}
