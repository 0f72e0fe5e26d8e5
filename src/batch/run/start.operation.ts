import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type BatchSummary, BatchSummarySchema } from '../../domain/batch/batch-summary.js';
import { defineOperation } from '../../operations/operation.js';
import { findRepository } from '../../operations/workspace/find-workspace.js';
import { datasetFields, datasetOptions } from '../plan/dataset-fields.js';
import { planRequest } from '../plan/plan-request.js';
import { NOT_FOR_AGENTS } from '../record/run-field.js';
import { createRun } from '../record/run-store.js';
import { summarizeBatch } from '../record/summarize-batch.js';
import { runBatch } from '../run-batch.js';

const input = requestObject({
  ...datasetFields,
  agent: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the agent to evaluate: oracle, nop, a preset, an agent of your configuration, a command or a module (default: tasks.agent)',
    ),
  model: z.string().optional().describe('the model that a preset uses'),
  attempts: z.int().min(1).optional().describe('attempts per task (default: 1)'),
  costLimitUsd: z
    .number()
    .positive()
    .optional()
    .describe('stop the run when all attempts together have cost this many US dollars'),
  out: z.string().optional().describe("the directory for results (default: Carrel's state directory)"),
  gate: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('exit with 1 when the pass rate is lower than this, such as 0.8'),
  keepFailed: z.boolean().optional().describe('keep the files of failed attempts'),
  quarantined: z.boolean().optional().describe('include tasks that `carrel eval check` found unsound'),
});
export type StartBatchRequest = z.input<typeof input>;
/** A batch that a server is to run. */
export type BatchRequest = Omit<StartBatchRequest, 'out' | 'gate'>;
export type StartBatchAnswer = BatchSummary;

/** One request must not fill the machine of the server. */
const MOST_AT_ONCE = 64;

/** It becomes an argument of the agent's program: a request must not pass an option this way. */
const MODEL_NAME = /^\w[\w.:/@+[\]-]*$/;

export const startBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'start',
  summary: 'Run an agent on the tasks of a dataset and grade its work',
  input,
  output: BatchSummarySchema,
  effects: 'changes',
  commandLine: {
    command: 'eval run',
    group: 'Evaluate agents',
    arguments: [],
    options: {
      ...datasetOptions,
      agent: { value: 'name' },
      model: { value: 'name' },
      attempts: { value: 'number' },
      costLimitUsd: { flag: 'cost-limit', value: 'usd' },
      out: { value: 'directory' },
      gate: { value: 'rate' },
    },
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/batches',
    status: 202,
    answer: 'the run is planned and started in its own process',
    problems: [400, 404, 422, 503],
    without: {
      out: 'a request must not choose where files are written',
      gate: 'it decides the exit status of a command; the answer has the pass rate',
    },
    instead: {
      dataset: z.string().min(1).describe('golden, or a path that the server allows'),
      agent: z
        .string()
        .min(1)
        .optional()
        .describe('oracle, nop, a preset, or an agent of the configuration (default: tasks.agent)'),
      model: z
        .string()
        .regex(MODEL_NAME, 'expected the name of a model, such as provider/model-1')
        .optional()
        .describe('the model that a preset uses'),
      parallelism: datasetFields.parallelism
        .unwrap()
        .max(MOST_AT_ONCE)
        .optional()
        .describe(`number of attempts to run in parallel, at most ${MOST_AT_ONCE} (default: 1)`),
    },
    body: { id: 'batch-request', title: 'A batch to run' },
    repository: 'none',
    by: 'its route',
  },
  mcp: NOT_FOR_AGENTS,
  run: async ({ context, repository, signal }, { out, ...request }) => {
    const repositoryRoot = (await findRepository(context, repository))?.root ?? null;
    const { plan, items, agent } = await planRequest(context, request, { repositoryRoot, signal });
    const run = await createRun(context, plan, out);
    return summarizeBatch(await runBatch(context, { run, items, agent, stop: signal }));
  },
});
