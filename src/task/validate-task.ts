import type { Failure } from '../domain/failure.js';
import type { ValidationResult } from '../domain/validation.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { CANCELLED, DONE, type Ending, type Execution, failed } from './execution.js';
import { validateWork } from './validate-work.js';

/** Checks the result of all stages where it is. */
export async function validateTask(execution: Execution, workspace: WorkspaceRecord): Promise<Ending> {
  const { context, task, signal, tell } = execution;
  const { validation } = task.current().plan;
  await task.change({ status: 'validating', validation: [] }, { type: 'task.validating' });
  context.onStep('task', 'validating');
  const results = await validateWork(context, workspace, validation, {
    signal,
    onLine: (stream, text) => tell({ stage: null, attempt: 0, stream, text }),
  });
  if (signal.aborted) return CANCELLED;
  await task.change({ validation: [...results] });
  context.onStep('task', 'validated');
  for (const { name, passed } of results)
    tell({ stage: null, attempt: 0, stream: 'carrel', text: `${name}: ${passed ? 'passed' : 'FAILED'}` });
  const red = results.filter(result => !result.passed);
  return red.length === 0 ? DONE : failed(describeRed(red, workspace, task.current().id));
}

function describeRed(red: readonly ValidationResult[], { path }: WorkspaceRecord, id: string): Failure {
  return {
    kind: 'validation-failed',
    stage: null,
    message: `${red.length} of the validations failed: ${red.map(result => result.name).join(', ')}`,
    hint: `look at the work in ${path}, mend it there, then: carrel task retry ${id}`,
    output: red[0]?.detail ?? null,
  };
}
