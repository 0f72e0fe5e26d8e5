import { z } from 'zod';
import { TaskLimitsSchema } from './agent.js';
import { IsolationModeSchema } from './isolation.js';
import { nearest } from './nearest.js';
import { DurationSchema } from './quantity-schema.js';
import { ExpectationSchema } from './validation.js';

const WordSchema = z.string().min(1);

/** One step of a workflow: an agent with something to do. */
export const WorkflowStageSchema = z.strictObject({
  name: WordSchema.describe('name of the stage, once in a workflow'),
  agent: WordSchema.describe('the agent that does it'),
  description: z.string().optional().describe('what is to be done, for the agent and for people'),
  inputs: z.array(WordSchema).optional().describe('outputs of earlier stages that it reads'),
  outputs: z.array(WordSchema).optional().describe('what it leaves for later stages'),
  dependsOn: z
    .array(WordSchema)
    .optional()
    .describe('stages that must have succeeded before; the one above when left out'),
  retries: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe('further attempts after a failure that another attempt may mend'),
  timeout: DurationSchema.optional().describe('time limit of one attempt, such as 30m'),
  checks: z.array(WordSchema).optional().describe('commands that must succeed after it'),
});
export type WorkflowStage = z.infer<typeof WorkflowStageSchema>;

/** A file of `.carrel/workflows`. */
export const WorkflowDefinitionSchema = z
  .strictObject({
    name: WordSchema.describe('name of the workflow'),
    description: z.string().describe('what it is for'),
    trigger: z.array(z.string()).optional().describe('what starts it, such as manual'),
    stages: z.array(WorkflowStageSchema).min(1).describe('the steps'),
    isolation: IsolationModeSchema.optional().describe(
      'isolation mode of this workflow: full, worktree or shared',
    ),
    timeout: DurationSchema.optional().describe('time limit of all of it, such as 4h'),
    limits: TaskLimitsSchema.optional().describe("what it may use at most; the user's own limits hold as well"),
    validation: z
      .array(ExpectationSchema)
      .optional()
      .describe('what must be true of the working tree after the last stage, besides tasks.validation'),
  })
  .check(({ value, issues }) => {
    issues.push(...findStageIssues(value.stages));
  })
  .meta({ id: 'workflow', title: 'Workflow' });
export type WorkflowDefinition = z.infer<typeof WorkflowDefinitionSchema>;

type StageIssue = z.core.$ZodRawIssue<z.core.$ZodIssueCustom>;

/** Names that are there twice, dependencies on nothing, and dependencies in a circle. */
function findStageIssues(stages: readonly WorkflowStage[]): StageIssue[] {
  const names = stages.map(stage => stage.name);
  const wrong = stages.flatMap((stage, index) => [
    ...(names.indexOf(stage.name) < index
      ? [issue(['stages', index, 'name'], stage.name, 'a name of its own')]
      : []),
    ...findUnknownDependencies(stage, index, names),
  ]);
  return wrong.length > 0 ? wrong : findCircles(stages);
}

function findUnknownDependencies(
  stage: WorkflowStage,
  index: number,
  names: readonly string[],
): StageIssue[] {
  const others = names.filter(name => name !== stage.name);
  return (stage.dependsOn ?? []).flatMap((dependency, position) => {
    if (others.includes(dependency)) return [];
    const path = ['stages', index, 'dependsOn', position];
    return [issue(path, dependency, 'the name of another stage', nearest(dependency, others))];
  });
}

/** Takes away stages whose dependencies are gone until none can be taken; what stays waits for itself. */
function findCircles(stages: readonly WorkflowStage[]): StageIssue[] {
  let waiting = stages;
  for (;;) {
    const names = new Set(waiting.map(stage => stage.name));
    const blocked = waiting.filter(stage => stage.dependsOn?.some(name => names.has(name)));
    if (blocked.length === waiting.length) break;
    waiting = blocked;
  }
  const [first] = waiting;
  if (!first) return [];
  const stuck = waiting.map(stage => stage.name).join(', ');
  const path = ['stages', stages.indexOf(first), 'dependsOn'];
  return [
    issue(path, first.dependsOn, `an order without a circle; these stages could never start: ${stuck}`),
  ];
}

function issue(path: (string | number)[], input: unknown, expected: string, near?: string): StageIssue {
  return { code: 'custom', path, input, message: expected, params: { nearest: near } };
}
