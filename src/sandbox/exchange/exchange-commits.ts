import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Sandbox } from '../../runtime/runtime.js';
import { importIntoJj } from '../../workspace/sync-jj.js';
import { hasGitInside, isInPlace } from '../git-inside.js';
import { followJj } from '../jj/follow-jj.js';
import { hideSubmodules } from '../nested-git/guard-outside.js';
import { requireSettings } from '../require-settings.js';
import type { SandboxPlace } from '../sandbox-place.js';
import type { ImportedCommits, SandboxesOptions } from '../sandboxes.js';
import { exportToSandbox } from './export-to-sandbox.js';
import { importFromSandbox } from './import-from-sandbox.js';
import { updateOutsideIndex } from './outside-index.js';

/** Exports commits made outside to the sandbox. Returns warnings. */
export async function exportCommits(
  { git }: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  sandbox: Sandbox,
): Promise<string[]> {
  const commonDir = findTarget(record);
  if (commonDir === null) return [];
  const { id: workspaceId, branch } = record;
  const request = {
    git,
    place,
    commonDir,
    workspaceId,
    branch: branch as string,
    base: record.base.commit as string,
    run: sandbox.run,
    // In a directory in place the files belong to another branch outside.
    movesBranch: !isInPlace(record),
  };
  const { outcome } = await exportToSandbox(request);
  if (outcome !== 'diverged') return [];
  return [
    `${branch} has commits from outside the sandbox; merge them inside it with: git merge origin/${branch}`,
  ];
}

/** Imports commits made inside to the branch outside, and updates the worktree's index. */
export async function importCommits(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  sandbox: Sandbox,
  signal?: AbortSignal,
): Promise<ImportedCommits> {
  const { git, jj, workTreeOf } = options;
  const commonDir = findTarget(record);
  if (commonDir === null) return { outcome: 'unchanged', tip: record.base.commit ?? '', warnings: [] };
  await followJj({
    place,
    workTree: record.path,
    branch: record.branch as string,
    run: sandbox.run,
    signal,
  });
  const imported = await importFromSandbox({
    git,
    place,
    commonDir,
    workspaceId: record.id,
    branch: record.branch as string,
    base: record.base.commit as string,
    run: sandbox.run,
    movesCheckouts: !isInPlace(record),
    signal,
  });
  if (imported.outcome !== 'imported') return { ...imported, warnings: [] };
  const workTree = workTreeOf(record);
  const warnings = [
    ...(workTree ? await updateOutsideIndex({ git, place: workTree, from: imported.from }) : []),
    ...(await hideSubmodules(options, record)),
  ];
  return { ...imported, warnings: [...warnings, ...(await importIntoJj(jj, record))] };
}

/** The repository that commits go to; null where there are none that it does not have: only `private` has them. */
const findTarget = (record: WorkspaceRecord): string | null =>
  requireSettings(record).git === 'private' && hasGitInside(record) ? record.commonDir : null;
