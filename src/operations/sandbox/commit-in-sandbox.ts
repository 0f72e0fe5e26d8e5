import { join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import { findUnreadable } from '../../git/files/open-unreadable.js';
import type { Context } from '../context.js';
import { runInside } from './run-in-sandbox.js';

/**
 * Everything that is not ignored, as the agent's git sees it. A nested repository, which `add` treats as a new submodule, would be refused
 * on import, and everything else with it: it is left out.
 */
const SCRIPT = `git add --all && git diff --cached --raw --no-renames --no-abbrev |
  sed -n '/^:160000 /d; s/^:[0-7]* 160000 \\([0-9a-f]*\\) [0-9a-f]* [A-Z]\t/0 \\1\t/p' |
  git update-index --index-info && { git diff --cached --quiet || git commit --quiet --message "$1"; }`;

/** Milliseconds; the hooks of a repository may run its tests. */
const LIMIT_MS = 15 * 60_000;

/**
 * Commits uncommitted changes in a sandboxed workspace with the git inside: git outside never runs on its files.
 * FILE_UNREADABLE, GIT_FAILED, COMMAND_TIMED_OUT, and the signal's reason.
 */
export async function commitInSandbox(
  context: Pick<Context, 'sandboxes' | 'ids' | 'narrate'>,
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
  throw commitFailure(record, exitCode, stderr);
}

/** A file that the git inside could not read is named; FILE_UNREADABLE or GIT_FAILED. */
export function commitFailure({ path }: WorkspaceRecord, exitCode: number | null, stderr: Buffer): Error {
  const [unreadable] = findUnreadable(path);
  if (unreadable !== undefined)
    return carrelError('FILE_UNREADABLE', { path: join(path, displayPath(unreadable)), problem: 'EACCES' });
  const text = stderr.toString('utf8').slice(-2000);
  return carrelError('GIT_FAILED', { command: 'git commit', exitCode, stderr: text });
}
