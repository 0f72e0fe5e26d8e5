import type { Failure } from '../../domain/task/failure.js';
import type { ValidationResult } from '../../domain/workflow/validation.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { listParts } from '../../operations/group/group-records.js';
import { commitMessage } from '../attempt/commit/commit-message.js';
import { commitParts } from '../attempt/commit/commit-parts.js';
import { findDrift } from '../attempt/commit/find-drift.js';
import { CANCELLED, DONE, type Ending, type Execution, failed } from '../execution.js';
import { findHead, mapParts, withHeads } from '../record/task-repositories.js';
import { validateWork } from './validate-work.js';

/** Validates the result of all stages in its workspace. The branch is what is landed and published, so the branch is validated. */
export async function validateTask(execution: Execution, workspace: WorkspaceRecord): Promise<Ending> {
  const committed = await commitEverything(execution, workspace);
  if (committed.kind !== 'done') return committed;
  const results = await validate(execution, workspace);
  if (execution.signal.aborted) return CANCELLED;
  const red = results.filter(result => !result.passed);
  const { id } = execution.task.current();
  if (red.length > 0) return failed(describeFailed(red, workspace, id));
  return results.length === 0 ? DONE : requireValidated(execution, workspace);
}

/** Fixes by hand, and what a stage could not commit, are committed to the branch before it is validated. */
async function commitEverything(
  { context, task, signal }: Execution,
  workspace: WorkspaceRecord,
): Promise<Ending> {
  const what = 'uncommitted changes before validation';
  const parts = await listParts(context, workspace);
  const committed = await commitParts(context, workspace, {
    before: task.current().head ?? workspace.base.commit,
    parts: mapParts(parts, part => findHead(task.current(), part)),
    message: commitMessage({ task: task.current(), stage: null, agent: null, words: null, what }),
    signal,
  });
  if (signal.aborted) return CANCELLED;
  if (committed.kind === 'failed') return failed({ stage: null, output: null, ...committed.failure });
  await task.change(current => ({
    head: committed.commit ?? current.head,
    ...withHeads(current, committed.commits),
    warnings: [...current.warnings, ...committed.warnings],
  }));
  return DONE;
}

async function validate(execution: Execution, workspace: WorkspaceRecord): Promise<ValidationResult[]> {
  const { context, task, signal, tell } = execution;
  const { validation } = task.current().plan;
  await task.change({ status: 'validating', validation: [] }, { type: 'task.validating' });
  context.onStep('task', 'validating');
  const results = await validateWork(context, workspace, validation, {
    signal,
    onLine: (stream, text) => tell({ stage: null, attempt: 0, stream, text }),
  });
  if (signal.aborted) return results;
  await task.change({ validation: [...results] });
  context.onStep('task', 'validated');
  for (const { name, passed } of results)
    tell({ stage: null, attempt: 0, stream: 'carrel', text: `${name}: ${passed ? 'passed' : 'FAILED'}` });
  return results;
}

function describeFailed(red: readonly ValidationResult[], { path }: WorkspaceRecord, id: string): Failure {
  return {
    kind: 'validation-failed',
    stage: null,
    message: `validation failed: ${red.map(result => result.name).join(', ')}`,
    hint: `fix it in ${path}, or let an agent fix it, with: carrel task retry ${id}`,
    output: red[0]?.detail ?? null,
  };
}

/** Files changed by a validation stay uncommitted; commits that it made would be unvalidated. */
async function requireValidated(execution: Execution, workspace: WorkspaceRecord): Promise<Ending> {
  const { context, task } = execution;
  const { head, id } = task.current();
  if (head === null) return DONE;
  let changedFiles = 0;
  for (const part of await listParts(context, workspace)) {
    const commit = part.id === workspace.id ? head : (findHead(task.current(), part) as string);
    const drift = await findDrift(context, part, commit);
    if (drift.moved !== undefined) return failed(describeMove(part, commit, drift.moved, id));
    changedFiles += drift.changedFiles;
  }
  if (changedFiles === 0) return DONE;
  const warning = `validation changed ${changedFiles} ${changedFiles === 1 ? 'file' : 'files'} that are not on ${workspace.branch}; see: carrel diff ${workspace.name}`;
  await task.change(({ warnings }) => ({ warnings: [...warnings, warning] }));
  return DONE;
}

const describeMove = (
  { branch, group }: WorkspaceRecord,
  head: string,
  moved: string,
  taskId: string,
): Failure => ({
  kind: 'validation-failed',
  stage: null,
  message: `validation moved ${branch}${group ? ` of ${group.alias}` : ''} from ${head.slice(0, 10)} to ${moved.slice(0, 10)}; expected it to stay`,
  hint: `review the commits, then validate them with: carrel task retry ${taskId}`,
  output: null,
});
