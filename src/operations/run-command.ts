import type { ProcessIdentity } from '../domain/process-identity.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { killTree } from '../exec/kill-tree.js';
import { parentVariables } from '../exec/orphans.js';
import { identifyProcess } from '../exec/process-identity.js';
import { trackTree } from '../exec/process-tree.js';
import { endStrays } from '../exec/strays.js';
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
 * returns, nothing that the command has started runs any more; on the host, nothing that can be told from a program of
 * the user's (see exec/process-tree.ts and exec/strays.ts). PROGRAM_MISSING on the host; inside it is exit status 126
 * or 127.
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
  { endsLeftovers = true, ...request }: CommandRequest,
  recorded: RecordedCommand,
): Promise<CommandResult> {
  let started: ProcessIdentity | undefined;
  const onStart = (pid: number) => {
    // Dead before anybody could look at it, it still may have left something, which began after us.
    started = identifyProcess(pid) ?? { ...context.self, pid };
    recorded.onStart(pid);
  };
  const endAll = () => endWhatIsLeft(context, record, started, recorded.id);
  try {
    // By it a later Carrel finds what runs on when this process dies, also what was started a moment before.
    const environment = { ...request.environment, ...parentVariables(context.self) };
    const host = { ...request, environment, cwd: record.path, output: 'capture' } as const;
    const result = await runOnHost(context, record, { ...recorded, onStart }, host);
    return { ...result, leftovers: endsLeftovers ? await endAll() : 0 };
  } catch (error) {
    await endAll();
    throw error;
  }
}

/** Time between asking what is left to end and ending it. */
const GRACE_MS = 2000;

/** Gives how many there were. */
async function endWhatIsLeft(
  { backends }: Context,
  record: WorkspaceRecord,
  started: ProcessIdentity | undefined,
  marker: string,
): Promise<number> {
  if (!started) return 0;
  // Nobody else can have its pid: it has only just ended.
  const root = { pid: started.pid };
  const left = trackTree(root, marker).living().length;
  if (left > 0) await killTree(root, { graceMs: GRACE_MS, marker });
  // In a directory of the user's own anything may begin.
  if (!backends[record.backend].ownsFiles) return left;
  return left + (await endStrays(record.path, started, { graceMs: GRACE_MS }));
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
