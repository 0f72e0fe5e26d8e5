import type { WorkspaceRecord } from '../domain/workspace.js';
import { killTree } from '../exec/kill-tree.js';
import { parentVariables } from '../exec/orphans.js';
import { trackTree } from '../exec/process-tree.js';
import type { SandboxResult } from '../runtime/runtime.js';
import type { Context } from './context.js';
import { type RecordedCommand, whileRecorded } from './record-command.js';
import { runInside } from './run-inside.js';
import { runOnHost } from './run-on-host.js';

export interface CommandRequest {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly stdin?: string | Buffer | undefined;
  /** Over what every command in the workspace has. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
  /** Bytes kept of each stream. */
  readonly maxOutputBytes?: number | undefined;
  /** False for a short command of Carrel's own, which leaves nothing running. */
  readonly endsLeftovers?: boolean | undefined;
}

export interface CommandResult extends SandboxResult {
  /** Processes that the command left running and that were ended. */
  readonly leftovers: number;
}

/**
 * Runs a command of a task: inside the sandbox when the workspace has one, else in its directory on the host. When this
 * returns, nothing that the command has started runs any more. PROGRAM_MISSING on the host; inside it is exit status
 * 126 or 127.
 */
export function runCommand(
  context: Context,
  record: WorkspaceRecord,
  request: CommandRequest,
): Promise<CommandResult> {
  return whileRecorded(context, record, request.command, recorded =>
    record.sandbox
      ? runSandboxed(context, record, request, recorded)
      : runDirectly(context, record, request, recorded),
  );
}

async function runDirectly(
  context: Context,
  record: WorkspaceRecord,
  { endsLeftovers, ...request }: CommandRequest,
  recorded: RecordedCommand,
): Promise<CommandResult> {
  let started: number | undefined;
  const onStart = (pid: number) => {
    started = pid;
    recorded.onStart(pid);
  };
  try {
    // By it a later Carrel finds what runs on when this process dies, also what was started a moment before.
    const environment = { ...request.environment, ...parentVariables(context.self) };
    const host = { ...request, environment, cwd: record.path, output: 'capture' } as const;
    const result = await runOnHost(context, record, { ...recorded, onStart }, host);
    return { ...result, leftovers: await endTree(started, recorded.id, endsLeftovers) };
  } catch (error) {
    await endTree(started, recorded.id, true);
    throw error;
  }
}

/** Time between asking what is left to end and ending it. */
const GRACE_MS = 2000;

async function endTree(pid: number | undefined, marker: string, wanted = true): Promise<number> {
  if (pid === undefined || !wanted) return 0;
  const left = trackTree({ pid }, marker).living().length;
  if (left > 0) await killTree({ pid }, { graceMs: GRACE_MS, marker });
  return left;
}

async function runSandboxed(
  context: Context,
  record: WorkspaceRecord,
  { endsLeftovers = true, ...request }: CommandRequest,
  { id, onStart }: RecordedCommand,
): Promise<CommandResult> {
  const result = await runInside(context, record, { ...request, id, onStart });
  const sandboxes = await context.sandboxes();
  // What was left running inside bubblewrap went with it; a container goes on.
  if (endsLeftovers && sandboxes.runtimes[record.runtime].capabilities.longLived)
    await sandboxes.stop(record);
  return { ...result, leftovers: 0 };
}
