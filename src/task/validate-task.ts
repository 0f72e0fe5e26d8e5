import type { Failure } from '../domain/failure.js';
import type { ValidationResult } from '../domain/validation.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { commitMessage } from './commit-message.js';
import { CANCELLED, DONE, type Ending, type Execution, failed } from './execution.js';
import { findDrift } from './find-drift.js';
import { settleWork } from './settle-work.js';
import { validateWork } from './validate-work.js';

/** Checks the result of all stages where it is. What is landed and published is the branch: that is what is checked. */
export async function validateTask(execution: Execution, workspace: WorkspaceRecord): Promise<Ending> {
  const settled = await settleAll(execution, workspace);
  if (settled.kind !== 'done') return settled;
  const results = await validate(execution, workspace);
  if (execution.signal.aborted) return CANCELLED;
  const red = results.filter(result => !result.passed);
  const { id } = execution.task.current();
  if (red.length > 0) return failed(describeRed(red, workspace, id));
  return results.length === 0 ? DONE : requireValidated(execution, workspace);
}

/** What somebody mended by hand, or a stage could not commit, is on the branch before it is validated. */
async function settleAll({ context, task, signal }: Execution, workspace: WorkspaceRecord): Promise<Ending> {
  const what = 'what was not committed before validation';
  const settled = await settleWork(context, workspace, {
    before: task.current().head ?? workspace.base.commit,
    message: commitMessage({ task: task.current(), stage: null, agent: null, words: null, what }),
    signal,
  });
  if (signal.aborted) return CANCELLED;
  if (settled.kind === 'failed') return failed({ stage: null, output: null, ...settled.failure });
  await task.change(({ head, warnings }) => ({
    head: settled.commit ?? head,
    warnings: [...warnings, ...settled.warnings],
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

function describeRed(red: readonly ValidationResult[], { path }: WorkspaceRecord, id: string): Failure {
  return {
    kind: 'validation-failed',
    stage: null,
    message: `${red.length} of the validations failed: ${red.map(result => result.name).join(', ')}`,
    hint: `mend it in ${path}, or leave that to an agent, with: carrel task retry ${id}`,
    output: red[0]?.detail ?? null,
  };
}

/** Files that a validation changed stay where they are, uncommitted; commits that it made would go on unvalidated. */
async function requireValidated(execution: Execution, workspace: WorkspaceRecord): Promise<Ending> {
  const { context, task } = execution;
  const { head, id } = task.current();
  if (head === null) return DONE;
  const { moved, changedFiles } = await findDrift(context, workspace, head);
  if (moved !== undefined) return failed(describeMove(workspace, head, moved, id));
  if (changedFiles === 0) return DONE;
  const warning = `validation changed ${changedFiles} file(s), which are not on ${workspace.branch}; see: carrel diff ${workspace.name}`;
  await task.change(({ warnings }) => ({ warnings: [...warnings, warning] }));
  return DONE;
}

const describeMove = ({ branch }: WorkspaceRecord, head: string, moved: string, taskId: string): Failure => ({
  kind: 'validation-failed',
  stage: null,
  message: `validating moved ${branch} from ${head.slice(0, 10)} to ${moved.slice(0, 10)}; expected it to stay`,
  hint: `look at the commits, then validate them with: carrel task retry ${taskId}`,
  output: null,
});
