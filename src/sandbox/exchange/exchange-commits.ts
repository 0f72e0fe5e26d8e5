import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import type { Sandbox } from '../../runtime/runtime.js';
import { importIntoJj } from '../../workspace/sync-jj.js';
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
  const request = { git, place, commonDir, workspaceId, branch: branch as string, base, run: sandbox.run };
  const { outcome } = await exportToSandbox(request);
  if (outcome !== 'diverged') return [];
  return [
    `${branch} has commits made outside the sandbox; merge them inside it with: git merge origin/${branch}`,
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
  const workTree = privateWorkTree(record, workTreeOf);
  if (!workTree) return { outcome: 'unchanged', tip: record.base.commit ?? '', warnings: [] };
  const { commonDir } = workTree;
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
    signal,
  });
  if (imported.outcome !== 'imported') return { ...imported, warnings: [] };
  const warnings = [
    ...(await updateOutsideIndex({ git, place: workTree, from: imported.from })),
    ...(await hideSubmodules(options, record)),
  ];
  return { ...imported, warnings: [...warnings, ...(await importIntoJj(jj, record))] };
}

/** Only `private` has commits that the repository does not. */
function privateWorkTree(
  record: WorkspaceRecord,
  workTreeOf: SandboxesOptions['workTreeOf'],
): WorkTreePlace | null {
  return requireSettings(record).git === 'private' ? workTreeOf(record) : null;
}
