import type { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type ConfigReport, ConfigReportSchema } from '../../domain/report/result.js';
import { defineOperation } from '../operation.js';
import { reportConfig } from './config.js';

const input = requestObject({});
export type ShowConfigRequest = z.input<typeof input>;
export type ShowConfigAnswer = ConfigReport;

export const showConfig = defineOperation({
  noun: 'config',
  verb: 'show',
  call: 'config',
  summary: 'Show the effective configuration',
  input,
  output: ConfigReportSchema,
  effects: 'reads',
  commandLine: {
    command: 'config show',
    group: 'Set up',
    arguments: [],
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/config',
    answer: 'every setting and its origin, without the values of variables',
    problems: [400, 404, 422],
    // It also works outside of a repository.
    repository: 'as it was sent',
    by: 'its route',
  },
  mcp: { not: 'the configuration of the user may contain keys' },
  run: ({ context, repository }) => reportConfig(context, { repository }),
});
