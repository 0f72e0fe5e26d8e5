import { z } from 'zod';
import { type ExecResult, ExecResultSchema } from '../../domain/result.js';
import { execInWorkspace } from '../../operations/exec.js';
import { limitMiddle } from '../limit-text.js';
import { requireOwnWorkspace } from '../own.js';
import { defineTool } from '../tool.js';
import { workspaceWord } from '../words.js';

const LONGEST_SECONDS = 24 * 60 * 60;

export const workspaceExec = defineTool({
  name: 'workspace_exec',
  title: 'Run a command in a workspace',
  description:
    'Runs a command in the directory of a workspace, inside its sandbox when it has isolation full, and answers with its exit status and output. A command that fails is an answer, not an error. Nothing can be typed into it. Cancelling the call, and its timeout, end everything that it started.',
  input: z.object({
    workspace: workspaceWord,
    command: z
      .union([z.string().min(1), z.array(z.string()).min(1)])
      .describe('text for the shell, such as "npm test", or a program and its arguments'),
    timeoutSeconds: z.number().positive().max(LONGEST_SECONDS).default(600),
    maxOutputCharacters: z
      .int()
      .min(100)
      .max(1_000_000)
      .default(30_000)
      .describe(
        'of each of stdout and stderr; of longer output the middle is left out, and `truncated` is true',
      ),
  }),
  output: ExecResultSchema,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  run: async ({ workspace, command, timeoutSeconds, maxOutputCharacters }, call) => {
    const { id } = await requireOwnWorkspace(call, workspace);
    const result = await execInWorkspace(call.context, {
      repository: call.directory,
      name: id,
      command: typeof command === 'string' ? ['sh', '-c', command] : command,
      timeoutMs: timeoutSeconds * 1000,
      output: 'capture',
      signal: call.signal,
    });
    const value = limitOutput(result, maxOutputCharacters);
    return { value, text: formatResult(value) };
  },
});

function limitOutput(result: ExecResult, limit: number): ExecResult {
  const stdout = limitMiddle(result.stdout, limit);
  const stderr = limitMiddle(result.stderr, limit);
  const truncated = result.truncated || stdout.isLimited || stderr.isLimited;
  return { ...result, stdout: stdout.text, stderr: stderr.text, truncated };
}

/** Output as it is: agents read it better than as JSON. */
function formatResult(result: ExecResult): string {
  const { durationMs, truncated, stdout, stderr } = result;
  const notes = truncated ? ', output truncated' : '';
  return [
    `${describeEnd(result)} after ${durationMs} ms${notes}`,
    ...(stdout === '' ? [] : ['stdout:', stdout]),
    ...(stderr === '' ? [] : ['stderr:', stderr]),
  ].join('\n');
}

function describeEnd({ exitCode, signal, timedOut, cancelled, limit, sandboxDied }: ExecResult): string {
  if (timedOut) return 'timed out';
  if (cancelled) return 'cancelled';
  if (sandboxDied) return 'the sandbox ended before the command';
  if (limit) return `ended by the limit of ${limit}`;
  return exitCode === null ? `ended by ${signal}` : `exit status ${exitCode}`;
}
