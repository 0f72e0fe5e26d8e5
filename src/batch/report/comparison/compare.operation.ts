import { z } from 'zod';
import { requestObject } from '../../../domain/api/request-object.js';
import { type Comparison, ComparisonSchema } from '../../../domain/batch/comparison.js';
import { defineOperation } from '../../../operations/operation.js';
import { NOT_FOR_AGENTS, runField } from '../../record/run-field.js';
import { compareNamedRuns } from './compare-runs.js';

/** Each run is read completely; one request must not read all of them. */
const MOST_OVER_HTTP = 20;

const runs = z.array(runField).min(2).describe('two or more runs; each is compared with the first');
const input = requestObject({ runs });
export type CompareBatchesRequest = z.input<typeof input>;
export type CompareBatchesAnswer = Comparison;

export const compareBatchesOperation = defineOperation({
  noun: 'batch',
  verb: 'compare',
  summary: 'Compare batch runs task by task',
  input,
  output: ComparisonSchema,
  subject: 'runs',
  effects: 'reads',
  commandLine: {
    command: 'eval compare',
    group: 'Evaluate agents',
    arguments: ['runs'],
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/comparisons',
    operationId: 'compareBatches',
    answer: 'task by task',
    problems: [404, 422],
    instead: { runs: runs.max(MOST_OVER_HTTP).describe('two or more ids') },
    repository: 'none',
  },
  mcp: NOT_FOR_AGENTS,
  run: ({ context }, { runs }) => compareNamedRuns(context, runs),
});
