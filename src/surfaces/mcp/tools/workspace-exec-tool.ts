import { carrelError } from '../../../domain/error/error.js';
import { type ExecResult, ExecResultSchema } from '../../../domain/report/result.js';
import { execInWorkspace } from '../../../operations/command/exec.js';
import { requireUnheld } from '../../../operations/guard/require-idle.js';
import { requireOwnWorkspace } from '../connection/require-own.js';
import { createOutputWindow } from './output-window.js';
import { defineOwnTool } from './own-tool.js';

/** Enough to explain why a sandbox did not start; the rest is kept here. */
const KEPT_BYTES = 64 * 1024;

interface ExecInput {
  readonly workspace: string;
  readonly command: readonly string[];
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** With the beginning and the end of long output. */
export const answerExec = defineOwnTool({
  output: ExecResultSchema,
  run: async ({ workspace, command, timeoutMs, maxOutputBytes }: ExecInput, call) => {
    const record = await requireOwnWorkspace(call, workspace);
    const { backend, sandbox } = record;
    // Agents may not run commands in the user's own directory without a sandbox, or in another agent's workspace.
    if (backend === 'direct' && !sandbox)
      throw carrelError('NOT_SUPPORTED', { what: 'be used by agents over MCP', backend });
    await requireUnheld(call.context, record);
    const stdout = createOutputWindow(maxOutputBytes);
    const stderr = createOutputWindow(maxOutputBytes);
    const result = await execInWorkspace(call.context, {
      repository: call.directory,
      name: record.id,
      command,
      timeoutMs,
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

/** Plain output: agents read it better than JSON. */
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
  if (sandboxDied) return 'the sandbox stopped before the command';
  if (limit) return `killed by the limit of ${limit}`;
  return exitCode === null ? `killed by ${signal}` : `exit status ${exitCode}`;
}
