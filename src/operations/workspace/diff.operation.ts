import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { DiffFormatSchema, DiffReportSchema, encodeDiff } from '../../domain/report/diff-report.js';
import { workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { diffWorkspace as diff } from './diff.js';

export const diffWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'diff',
  summary: 'Show the changes in a workspace as a patch for git apply',
  description:
    'Shows all changes of a workspace against its base, committed or not: as a patch for git apply, as a summary, or as file names. A long diff is cut at the end of a line; the linked resource has the rest.',
  input: requestObject({
    workspace: workspaceField,
    format: DiffFormatSchema.optional().describe('a patch (default), changed lines per file, or file names'),
  }),
  output: DiffReportSchema,
  subject: 'workspace',
  effects: 'reads',
  commandLine: {
    command: 'diff',
    summary: 'Print the changes in a workspace as a patch for git apply',
    group: 'Keep and land work',
    arguments: ['workspace'],
    without: { format: 'two options name it' },
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/workspaces/{workspace}/diff',
    text: 'text/x-diff',
    answer: 'the exact patch, including binary files',
    problems: [400, 404, 409, 422],
    without: { format: 'the answer has the type of a patch' },
    by: 'its route',
  },
  mcp: {
    tool: 'workspace_diff',
    instead: {
      fields: { maxBytes: z.int().min(100).max(1_000_000).default(50_000) },
      read: given => given,
    },
    by: 'its tool',
  },
  run: async ({ context, repository }, { workspace, format = 'patch' }) => {
    const chunks: Buffer[] = [];
    const input = { repository, name: workspace, format };
    const found = await diff(context, input, chunk => void chunks.push(chunk));
    return { format, ...encodeDiff(Buffer.concat(chunks)), ...found };
  },
});
