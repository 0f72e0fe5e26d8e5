import type { Stage } from '../../domain/task/task.js';
import type { WorkflowStage } from '../../domain/workflow/workflow.js';
import type { Execution } from '../execution.js';
import { withHeads } from '../record/task-repositories.js';

/** Records that a stage has succeeded and where the task's branch is now, both at once. */
export async function succeedStage(
  execution: Execution,
  { name, approve }: WorkflowStage,
  patch: Partial<Stage>,
): Promise<void> {
  const { context, task, tell } = execution;
  const endedAt = new Date(context.now()).toISOString();
  const done = { ...task.stage(name), ...patch, status: 'succeeded', endedAt } as const;
  const { previousFailure, ...worked } = done;
  const approval = { status: 'waiting', at: endedAt, message: null } as const;
  const stage = approve ? { ...worked, approval } : worked;
  const { commit, commits = {}, changed, warnings } = stage;
  await task.change(
    current => ({
      stages: current.stages.map(each => (each.name === name ? stage : each)),
      head: commit ?? current.head,
      ...withHeads(current, commits),
    }),
    { type: 'stage.succeeded', data: { stage: name, commit, changed } },
  );
  context.onStep('task', `stage-ended.${name}`);
  const text = changed === false ? 'succeeded without a change' : 'succeeded';
  tell({ stage: name, attempt: 0, stream: 'carrel', text });
  for (const warning of warnings)
    tell({ stage: name, attempt: 0, stream: 'carrel', text: `warning: ${warning}` });
}
