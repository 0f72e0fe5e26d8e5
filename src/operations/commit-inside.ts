import { carrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from './context.js';
import { runInside } from './run-inside.js';

/** Everything that is not ignored, as the agent's own git sees it; nothing when there is nothing. */
const SCRIPT = `git add --all && { git diff --cached --quiet || git commit --quiet --message "$1"; }`;

/** Commits what is uncommitted in a sandboxed workspace, by the git inside: outside, nobody runs git on its files. */
export async function commitInside(
  context: Context,
  record: WorkspaceRecord,
  message: string,
): Promise<void> {
  const { exitCode, stderr } = await runInside(context, record, {
    id: createId('op', context.ids),
    command: ['sh', '-c', SCRIPT, 'carrel', message],
    workingDirectory: record.path,
  });
  if (exitCode === 0) return;
  const details = { command: 'git commit', exitCode, stderr: stderr.toString('utf8').slice(-2000) };
  throw carrelError('GIT_FAILED', details);
}
