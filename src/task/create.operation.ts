import { z } from 'zod';
import { requestObject } from '../domain/api/request-object.js';
import { WorkspaceStrategySchema } from '../domain/isolation/workspace-config.js';
import { IssueSchema, type Task, TaskSchema } from '../domain/task/task.js';
import { isolationField } from '../operations/fields.js';
import { defineOperation } from '../operations/operation.js';
import { type CreateTaskInput, createTask } from './create-task.js';
import { limitFields, limitOptions, readLimits } from './queue/limit-fields.js';

const input = requestObject({
  description: z
    .string()
    .min(1)
    .describe('the complete description of the task; the agents get nothing else'),
  workflow: z
    .string()
    .optional()
    .describe('the workflow to run (default: tasks.workflow in the configuration)'),
  trigger: z
    .string()
    .min(1)
    .optional()
    .describe('instead of a workflow name: run the workflow whose file lists this trigger'),
  agent: z
    .string()
    .optional()
    .describe('the agent for all stages: a preset such as codex, or one from the configuration'),
  isolation: isolationField,
  strict: z.boolean().optional().describe('fail instead of falling back to a weaker isolation mode'),
  workspace: requestObject({
    strategy: WorkspaceStrategySchema.optional().describe(
      'instead of `isolation`: container is full in a container, directory is a plain copy, none is shared',
    ),
    cleanup: z.boolean().optional().describe('remove the workspace when the task succeeds'),
    preserveOnFailure: z.boolean().optional().describe('keep the workspace when the task fails'),
  })
    .optional()
    .describe('the workspace of the task, and what happens to it at the end'),
  base: z
    .string()
    .optional()
    .describe("the branch, tag or commit to start from (default: the repository's HEAD)"),
  branch: z
    .string()
    .optional()
    .describe(
      'the branch to work on; created if it does not exist (default: the configured prefix and a name)',
    ),
  issue: requestObject(IssueSchema.shape)
    .optional()
    .describe(
      'the issue that the description comes from; its number is in the branch name and in the commits',
    ),
  keep: z.boolean().optional().describe('keep the workspace when the task succeeds'),
  priority: z.int().optional().describe('tasks with a higher priority start first (default: 0)'),
  ...limitFields,
  land: requestObject({ into: z.string().nullable() })
    .optional()
    .describe('land the work on this branch when the task succeeds; null for the one it started from'),
  publish: requestObject({ remote: z.string(), pullRequest: z.boolean() })
    .optional()
    .describe('push the branch when the task succeeds, and open a pull request'),
  trust: z.boolean().optional().describe("run the repository's own commands without approval"),
});
export type CreateTaskRequest = z.input<typeof input>;
/** A task that a server is to run. */
export type TaskRequest = Omit<CreateTaskRequest, 'publish' | 'trust'> & {
  readonly repository?: string | undefined;
};
export type CreateTaskAnswer = Task;

export const createTaskOperation = defineOperation({
  noun: 'task',
  verb: 'create',
  summary: 'Run a task with agents in its own workspace and watch it',
  description:
    'Runs a task with other agents, in its own workspace, through the stages of a workflow. Waits for the result by default; cancelling the call then cancels the task. With detach it returns at once, and task_status shows the progress. A failed task is a result, not an error, and its work is kept.',
  input,
  output: TaskSchema,
  effects: 'changes',
  commandLine: {
    command: 'run',
    group: 'Run tasks',
    arguments: ['description'],
    options: {
      workflow: { value: 'name' },
      trigger: { value: 'name' },
      agent: { value: 'name' },
      isolation: { value: 'mode' },
      base: { value: 'ref' },
      branch: { value: 'branch' },
      priority: { value: 'number' },
      ...limitOptions,
    },
    without: {
      issue: '--issue reads it with gh or glab',
      workspace: '--strategy and --keep name it',
      land: '--land and --into name it',
      publish: '--push and --pull-request name it',
    },
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/tasks',
    status: 202,
    answer: 'the task is accepted',
    problems: [400, 409, 422, 503],
    without: {
      publish: 'a request must not push with the credentials of the user who started the server',
      trust: 'a request must not approve commands that run on the host',
    },
    body: { id: 'task-request', title: 'A task to run' },
    repository: 'as it was sent',
    isRepeatable: true,
    by: 'its route',
  },
  mcp: {
    tool: 'task_run',
    without: {
      publish: 'an agent must not push with the credentials of the user',
      trust: 'an agent must not approve commands that run on the host',
      strict: 'an agent that requests a sandbox gets one or an error: a warning is easily overlooked',
      issue: 'an agent reads an issue with its own tools',
      priority: "an agent's task must not pass those of the user",
      workspace: 'the user decides what a workspace is; an agent may request more isolation',
    },
    instead: {
      fields: {
        isolation: z
          .literal('full')
          .optional()
          .describe('full: run commands in a sandbox, or fail (default: the configuration of the user)'),
        land: z
          .boolean()
          .default(false)
          .describe('land the work on the branch it started from when the task succeeds'),
        detach: z
          .boolean()
          .default(false)
          .describe('return at once; the task continues when this connection closes'),
      },
      read: ({ isolation, land, ...request }) => ({
        ...request,
        ...(isolation === 'full' && { isolation, strict: true }),
        ...(land === true && { land: { into: null } }),
      }),
    },
    changesResources: true,
    runsCommands: true,
    by: 'its tool',
  },
  // The caller runs it: a program with executeTask, every other surface in another process.
  run: ({ context, repository, check }, request) =>
    createTask(context, { repository, check, ...readTaskRequest(request) }),
});

export const readTaskRequest = ({
  timeoutSeconds,
  costLimitUsd,
  tokenLimit,
  ...request
}: CreateTaskRequest): Omit<CreateTaskInput, 'repository'> => ({
  ...request,
  ...readLimits({ timeoutSeconds, costLimitUsd, tokenLimit }),
});
