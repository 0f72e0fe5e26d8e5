import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { ExecResultSchema } from '../../domain/report/result.js';
import { workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { execInWorkspace as exec } from './exec.js';

const LONGEST_SECONDS = 24 * 60 * 60;

export const execInWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'exec',
  summary: 'Run a command in a workspace',
  description:
    'Runs a command in the directory of a workspace, in its sandbox if it has isolation full, and returns the exit status and output. A failed command is a result, not an error. Its standard input is empty. Cancelling the call or reaching the timeout kills all its processes.',
  input: requestObject({
    workspace: workspaceField,
    command: z
      .array(z.string())
      .min(1)
      .describe('the program and its arguments; everything from here on is passed unchanged'),
    timeoutMs: z
      .number()
      .positive()
      .optional()
      .describe('kill the command and its processes after this time'),
  }),
  output: ExecResultSchema,
  subject: 'workspace',
  effects: 'changes',
  commandLine: {
    command: 'exec',
    group: 'Create and use workspaces',
    arguments: ['workspace', 'command'],
    without: { timeoutMs: 'written as a duration, such as 90s' },
    prints: { by: 'its command' },
  },
  http: { not: 'the API token must not give a shell on the machine of the server' },
  mcp: {
    tool: 'workspace_exec',
    without: { timeoutMs: 'agents count in seconds' },
    instead: {
      fields: {
        command: z
          .union([z.string().min(1), z.array(z.string()).min(1)])
          .describe('a shell command such as "npm test", or a program and its arguments'),
        timeoutSeconds: z.number().positive().max(LONGEST_SECONDS).default(600),
        maxOutputBytes: z
          .int()
          .min(100)
          .max(1_000_000)
          .default(30_000)
          .describe(
            'limit for stdout and for stderr; the middle of longer output is left out, and `truncated` is true',
          ),
      },
      read: ({ command, timeoutSeconds, ...given }) => ({
        ...given,
        command: typeof command === 'string' ? ['sh', '-c', command] : command,
        timeoutMs: Number(timeoutSeconds) * 1000,
      }),
    },
    runsCommands: true,
    by: 'its tool',
  },
  run: ({ context, repository, signal }, { workspace, ...request }) =>
    exec(context, { ...request, repository, name: workspace, output: 'capture', signal }),
});
