import { carrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from './context.js';
import { runInside } from './run-inside.js';

/** Everything that is not ignored, as the agent's own git sees it; nothing when there is nothing. */
const SCRIPT = `git add --all && { git diff --cached --quiet || git commit --quiet --message "$1"; }`;

/** Milliseconds; the hooks of a repository may run its tests. */
const LIMIT_MS = 15 * 60_000;

/**
 * Commits what is uncommitted in a sandboxed workspace, by the git inside: outside, nobody runs git on its files.
 * GIT_FAILED, COMMAND_TIMED_OUT, and the signal's reason.
 */
export async function commitInside(
  context: Context,
  record: WorkspaceRecord,
  message: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { exitCode, timedOut, limit, stderr } = await runInside(context, record, {
    id: createId('op', context.ids),
    command: ['sh', '-c', SCRIPT, 'carrel', message],
    workingDirectory: record.path,
    timeoutMs: LIMIT_MS,
    signal,
  });
  signal?.throwIfAborted();
  const command = 'git commit';
  if (timedOut) {
    const limitMs = (limit === 'time' && record.sandbox?.limits.time) || LIMIT_MS;
    throw carrelError('COMMAND_TIMED_OUT', { command, limitMs, isOfSandbox: limit === 'time' });
  }
  if (exitCode === 0) return;
  throw carrelError('GIT_FAILED', { command, exitCode, stderr: stderr.toString('utf8').slice(-2000) });
}
