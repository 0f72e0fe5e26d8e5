import type { WorkspaceRecord } from '../domain/workspace.js';
import type { WorkTreePlace } from '../git/work-tree/place.js';
import type { Sandbox } from '../runtime/runtime.js';
import { tellJj } from '../workspace/tell-jj.js';
import { bringIn } from './bring-in.js';
import { followJj } from './follow-jj.js';
import { followOutside } from './outside-index.js';
import type { SandboxPlace } from './place.js';
import { requireSettings } from './require-settings.js';
import type { SandboxesOptions, TakenBack } from './sandboxes.js';
import { takeBack } from './take-back.js';

/** Shows inside what was committed outside. Gives warnings. */
export async function bringCommitsIn(
  { git, workTreeOf }: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  sandbox: Sandbox,
): Promise<string[]> {
  const workTree = privateWorkTree(record, workTreeOf);
  if (!workTree) return [];
  const { id: workspaceId, branch } = record;
  const { commonDir } = workTree;
  const base = record.base.commit as string;
  const request = { git, place, commonDir, workspaceId, branch: branch as string, base, exec: sandbox.exec };
  const { outcome } = await bringIn(request);
  if (outcome !== 'apart') return [];
  return [`${branch} has commits that were made outside; merge them inside with: git merge origin/${branch}`];
}

/** Brings to the branch outside what was committed inside, and the worktree's index with it. */
export async function takeCommitsBack(
  { git, jj, workTreeOf }: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  sandbox: Sandbox,
  signal?: AbortSignal,
): Promise<TakenBack> {
  const workTree = privateWorkTree(record, workTreeOf);
  if (!workTree) return { outcome: 'unchanged', tip: record.base.commit ?? '', warnings: [] };
  const { commonDir } = workTree;
  await followJj({
    place,
    workTree: record.path,
    branch: record.branch as string,
    exec: sandbox.exec,
    signal,
  });
  const taken = await takeBack({
    git,
    place,
    commonDir,
    workspaceId: record.id,
    branch: record.branch as string,
    base: record.base.commit as string,
    exec: sandbox.exec,
    signal,
  });
  if (taken.outcome !== 'taken') return { ...taken, warnings: [] };
  const warnings = await followOutside({ git, place: workTree, from: taken.from });
  return { ...taken, warnings: [...warnings, ...(await tellJj(jj, record))] };
}

/** Only `private` has commits that the repository does not. */
function privateWorkTree(
  record: WorkspaceRecord,
  workTreeOf: SandboxesOptions['workTreeOf'],
): WorkTreePlace | null {
  return requireSettings(record).git === 'private' ? workTreeOf(record) : null;
}
