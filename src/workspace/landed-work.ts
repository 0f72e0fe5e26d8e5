import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Git } from '../git/git.js';
import { findUnlanded } from '../git/landed.js';
import { symbolicHead } from '../git/refs.js';

/** Whether the commits of a workspace up to `tip` are safe elsewhere in the repository. */
export async function findUnlandedWork(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  tip: string,
) {
  const place = { gitDir: record.commonDir as string };
  const current = await symbolicHead(git, place);
  const candidates = [record.base.ref, current].filter(
    name => name !== null && name !== undefined && name !== record.branch,
  );
  return findUnlanded(git, place, {
    tip,
    base: record.base.commit as string,
    ownRefs: record.branch && record.ownsBranch ? [`refs/heads/${record.branch}`] : [],
    candidates: [...new Set(candidates)] as string[],
    temporaryRoot,
  });
}
