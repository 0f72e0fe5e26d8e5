import type { ItemFilter } from './batch/datasets/dataset.js';
import type { BatchControl, BatchOptions, CheckOptions } from './batch/open-batches.js';
import type { TaskLimits } from './domain/agent/agent.js';
import { type Fields, findUnknownFields } from './domain/api/unknown-fields.js';
import { ATTEMPT_ISOLATIONS } from './domain/batch/attempt.js';
import { carrelError } from './domain/error/error.js';
import { IsolationModeSchema } from './domain/isolation.js';
import { nearest } from './domain/text/nearest-word.js';
import type { Context } from './operations/context.js';
import type { UpInput } from './operations/creation/plan-up.js';
import { up as makeWorkspace } from './operations/workspace/up.js';
import type { AcquireRequest, ReleaseOptions } from './pool/workspace-pool.js';
import { type CreateTaskInput, createTask as makeTask } from './task/create-task.js';

/**
 * Gives an argument of the library when it has no other fields than these. REQUEST_INVALID, as over HTTP and MCP: a
 * mistyped `isolation` that is ignored runs an agent without its sandbox. A mode that does not exist is refused too.
 */
export function requireKnown<T extends object>(call: string, given: T, fields: Fields<T>): T {
  const issues = [...findUnknownFields(call, given, fields), ...findUnknownMode(call, given)];
  if (issues.length > 0) throw carrelError('REQUEST_INVALID', { issues });
  return given;
}

function findUnknownMode(call: string, given: object) {
  const { isolation } = given as { isolation?: unknown };
  if (isolation === undefined || MODES.includes(isolation as string)) return [];
  const meant = typeof isolation === 'string' ? nearest(isolation, MODES) : undefined;
  const expected = meant === undefined ? `expected one of ${MODES.join(', ')}` : `did you mean "${meant}"?`;
  return [{ at: `${call}.isolation`, problem: `unknown mode ${JSON.stringify(isolation)}; ${expected}` }];
}

/** Of workspaces, tasks and attempts of batches. */
const MODES: readonly string[] = [...IsolationModeSchema.options, ...ATTEMPT_ISOLATIONS];

/** `up` for programs. */
export const up = async (context: Context, input: UpInput): Promise<ReturnType<typeof makeWorkspace>> =>
  makeWorkspace(context, requireKnown('up', input, UP_FIELDS));

/**
 * Makes a task that waits to be executed. Fails before it exists when something is known to be wrong with it.
 * `carrel.createTask` of `createCarrel` is the same with less to pass.
 *
 * @example
 * ```ts
 * import { createTask, executeTask } from 'carrel';
 * import { openApp } from 'carrel/advanced';
 *
 * const app = await openApp({ environment: { PATH: process.env.PATH ?? '' }, cwd: process.cwd() });
 * const { id } = await createTask(app, { repository: process.cwd(), description: 'Add a dark mode' });
 * const { status } = await executeTask(app, { id });
 * await app.close();
 * ```
 */
export const createTask = async (context: Context, input: CreateTaskInput): ReturnType<typeof makeTask> =>
  makeTask(context, requireKnown('createTask', input, TASK_FIELDS));

export const UP_FIELDS: Fields<UpInput> = {
  repository: true,
  name: true,
  form: { kind: true, directory: true },
  backend: true,
  branch: true,
  base: true,
  isolation: true,
  askedBy: true,
  strategy: true,
  strict: true,
  template: true,
  setup: true,
  trust: true,
  ownWorkOf: true,
  reserved: { taskId: true, path: true },
  sandbox: { allow: true },
  repositories: true,
  parts: true,
  check: true,
  signal: true,
};

const LIMIT_FIELDS: Fields<TaskLimits> = { tokens: true, costUsd: true };

const TASK_FIELDS: Fields<CreateTaskInput> = {
  repository: true,
  description: true,
  workflow: true,
  trigger: true,
  agent: true,
  isolation: true,
  strict: true,
  workspace: { strategy: true, cleanup: true, preserveOnFailure: true },
  base: true,
  branch: true,
  issue: { number: true, url: true },
  keep: true,
  priority: true,
  timeoutMs: true,
  limits: LIMIT_FIELDS,
  land: { into: true },
  publish: { remote: true, pullRequest: true },
  trust: true,
  fleet: { address: true, labels: true },
  taker: true,
  request: true,
  check: true,
};

export const ACQUIRE_FIELDS: Fields<AcquireRequest> = {
  commit: true,
  holder: true,
  signal: true,
  timeoutMs: true,
  kind: true,
};

export const RELEASE_FIELDS: Fields<ReleaseOptions> = { work: true };

const FILTER_FIELDS: Fields<ItemFilter> = {
  taskIds: true,
  tags: true,
  difficulty: true,
  language: true,
  sample: true,
  seed: true,
};

export const BATCH_FIELDS: Fields<BatchOptions> = {
  dataset: true,
  agent: true,
  filter: FILTER_FIELDS,
  model: true,
  attempts: true,
  parallelism: true,
  isolation: true,
  costLimitUsd: true,
  timeoutMs: true,
  gate: true,
  keepFailed: true,
  withQuarantined: true,
  signal: true,
  out: true,
};

export const CHECK_FIELDS: Fields<CheckOptions> = {
  dataset: true,
  filter: FILTER_FIELDS,
  isolation: true,
  parallelism: true,
  timeoutMs: true,
  repeats: true,
};

export const CONTROL_FIELDS: Fields<BatchControl> = { drain: true, stop: true, observer: true };
