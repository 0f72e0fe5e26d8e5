import { stat } from 'node:fs/promises';
import { runFollowed } from '../attempt/run-followed.js';
import { runShell, type ShellCommand, type ShellResult } from '../attempt/run-shell.js';
import type { CommandResult } from '../domain/command/command.js';
import { createId } from '../domain/id.js';
import type { DeveloperWorkflow } from '../domain/story/developer-workflow.js';
import { formatDuration } from '../domain/text/format-quantity.js';
import { openEnvironment } from '../operations/command/workspace-environment.js';
import type { Context } from '../operations/context.js';
import { createHostEnvironment } from '../tools/host/host-environment.js';

/** The worktree of a story, for checking it. */
export interface StoryWorktree {
  readonly root: string;
  /** When it returns, no process of the command is running. */
  run(request: ShellCommand): Promise<Pick<ShellResult, 'passed' | 'ending' | 'output'>>;
}

export interface NoWorktree {
  readonly problem: string;
}

/**
 * Commands that check the work run with the same isolation as the work itself: agents wrote the code that they run. A
 * workspace that is recorded on this machine is used like any other; an unrecorded one only when no sandbox was requested
 * for it.
 */
export async function openWorktree(
  context: Context,
  workflow: DeveloperWorkflow,
): Promise<StoryWorktree | NoWorktree> {
  const { worktreePath: root, worktreeId, task } = workflow;
  if (root === null || !workflow.worktreeKept) return { problem: 'it has no worktree to check' };
  const record = worktreeId === null ? undefined : await context.store.workspaces.find(worktreeId);
  if (record?.path === root) {
    const place = { environment: openEnvironment(context, record), redactor: context.redactor };
    return { root, run: request => runShell(place, request) };
  }
  if (!(await isDirectory(root)))
    return { problem: `its worktree ${root} is not on this machine; run stories where the server runs` };
  const { requested, effective } = task.isolation;
  const isSandboxed = requested === 'full' || effective === 'full';
  return { root, run: isSandboxed ? refuse : runDirectly(context, root) };
}

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    found => found.isDirectory(),
    () => false,
  );

const refuse: StoryWorktree['run'] = async () => ({
  passed: false,
  ending:
    "was not run: the work needs a sandbox, which only Carrel with the server's state directory can use",
  output: '',
});

function runDirectly(context: Pick<Context, 'ids' | 'environment'>, root: string): StoryWorktree['run'] {
  const environment = createHostEnvironment({
    workingDirectory: root,
    environment: context.environment,
    createCommandId: () => createId('op', context.ids),
  });
  return async ({ text, timeoutMs, signal }) => {
    const command = ['sh', '-c', text];
    const { result, tail } = await runFollowed(environment, { command, timeoutMs, signal }, {});
    const passed = result.exitCode === 0 && !result.timedOut && !signal?.aborted;
    return { passed, ending: nameEnding(result, timeoutMs ?? 0), output: tail };
  };
}

function nameEnding({ exitCode, timedOut }: CommandResult, timeoutMs: number): string {
  if (timedOut) return `did not finish within ${formatDuration(timeoutMs)}`;
  return exitCode === null ? 'was killed by a signal' : `ended with exit status ${exitCode}`;
}
