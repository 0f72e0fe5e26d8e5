import { z } from 'zod';
import { carrelError } from '../../domain/error.js';
import { type ExecResult, ExecResultSchema } from '../../domain/result.js';
import { execInWorkspace } from '../../operations/exec.js';
import { requireUnheld } from '../../operations/require-unheld.js';
import { createOutputWindow } from '../output-window.js';
import { requireOwnWorkspace } from '../own.js';
import { defineTool } from '../tool.js';
import { workspaceWord } from '../words.js';

const LONGEST_SECONDS = 24 * 60 * 60;

/** Enough for saying why a sandbox did not start; the rest is kept here. */
const KEPT_BYTES = 64 * 1024;

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
    maxOutputBytes: z
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
  run: async ({ workspace, command, timeoutSeconds, maxOutputBytes }, call) => {
    const record = await requireOwnWorkspace(call, workspace);
    const { backend } = record;
    // The user's own directory, and what another agent works in, are nobody's to run commands in.
    if (backend === 'direct')
      throw carrelError('NOT_SUPPORTED', { what: 'be used by agents over MCP', backend });
    await requireUnheld(call.context, record);
    const stdout = createOutputWindow(maxOutputBytes);
    const stderr = createOutputWindow(maxOutputBytes);
    const result = await execInWorkspace(call.context, {
      repository: call.directory,
      name: record.id,
      command: typeof command === 'string' ? ['sh', '-c', command] : command,
      timeoutMs: timeoutSeconds * 1000,
      output: 'capture',
      onOutput: (stream, chunk) => (stream === 'stdout' ? stdout : stderr).add(chunk),
      maxOutputBytes: KEPT_BYTES,
      signal: call.signal,
    });
    const truncated = stdout.isCut() || stderr.isCut();
    const value = { ...result, stdout: stdout.text(), stderr: stderr.text(), truncated };
    return { value, text: formatResult(value) };
  },
});

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
