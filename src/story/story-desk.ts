import { stat } from 'node:fs/promises';
import type { DeveloperWorkflow } from '../domain/developer-workflow.js';
import { createId } from '../domain/id.js';
import { formatDuration } from '../domain/quantity.js';
import type { Context } from '../operations/context.js';
import { runShell, type ShellResult } from '../task/run-shell.js';
import { createHostCommands } from '../tools/host-commands.js';
import { createOutputTail } from '../workspace/output-tail.js';

export interface DeskCommand {
  readonly command: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The worktree of a story, as whoever checks it can use it. */
export interface StoryDesk {
  readonly root: string;
  /** When it returns, nothing that the command has started runs any more. */
  run(request: DeskCommand): Promise<Pick<ShellResult, 'passed' | 'ending' | 'output'>>;
}

export interface NoDesk {
  readonly problem: string;
}

/**
 * Commands that check the work are run under the isolation that it was done under: agents wrote what they run. A
 * workspace that this machine's Carrel knows is used as every other; one of somebody else's only when no sandbox was
 * wanted for it.
 */
export async function openDesk(context: Context, workflow: DeveloperWorkflow): Promise<StoryDesk | NoDesk> {
  const { worktreePath: root, worktreeId, task } = workflow;
  if (root === null || !workflow.worktreeKept)
    return { problem: 'it has no worktree that could be looked at' };
  const record = worktreeId === null ? undefined : await context.store.workspaces.find(worktreeId);
  if (record?.path === root) return { root, run: request => runShell(context, record, request) };
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

const refuse: StoryDesk['run'] = async () => ({
  passed: false,
  ending:
    "was not run: the work was to be done in a sandbox, which only a Carrel with the server's state directory can use",
  output: '',
});

function runDirectly(context: Context, root: string): StoryDesk['run'] {
  const run = createHostCommands({
    workingDirectory: root,
    environment: context.environment,
    createCommandId: () => createId('op', context.ids),
  });
  return async ({ command, timeoutMs, signal }) => {
    const tail = createOutputTail();
    const words = ['sh', '-c', command] as const;
    const { exitCode, timedOut } = await run({ command: [...words], timeoutMs, signal, onOutput: tail.add });
    const passed = exitCode === 0 && !timedOut && !signal.aborted;
    return { passed, ending: nameEnding(exitCode, timedOut, timeoutMs), output: tail.text() };
  };
}

function nameEnding(exitCode: number | null, timedOut: boolean, timeoutMs: number): string {
  if (timedOut) return `did not end within ${formatDuration(timeoutMs)}`;
  return exitCode === null ? 'was ended by a signal' : `ended with exit status ${exitCode}`;
}
