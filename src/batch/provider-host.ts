import { carrelError, errnoOf } from '../domain/error.js';
import { commandEnvironment } from '../exec/environment.js';
import { findProcessesInside } from '../exec/inside.js';
import { killProcesses, killTree } from '../exec/kill-tree.js';
import { parentVariables } from '../exec/orphans.js';
import { trackTree } from '../exec/process-tree.js';
import { runProcess } from '../exec/run.js';
import type { Context } from '../operations/context.js';
import type { CommandRequest, CommandResult } from '../operations/run-command.js';
import { endProcesses } from '../pool/end-processes.js';
import type { TaskDescriptor, TaskEnvironment } from './isolation-provider.js';
import { putFile, takeFile } from './provider-files.js';
import { collectPatch } from './provider-patch.js';
import type { SealedBase } from './sealed-base.js';

/** A place on the machine itself that an attempt works in, with nothing around its commands. */
export interface HostPlace {
  /** All commands carry it as CARREL_COMMAND_ID, and what they leave running is found by it. */
  readonly id: string;
  readonly task: TaskDescriptor;
  readonly base: SealedBase;
  /** Whoever works below it is ended with the others. */
  readonly directory: string;
  readonly workTree: string;
  /** For the patch: see provider-patch.ts. */
  readonly indexFile: string;
  readonly gitDir: string;
}

export function createHostEnvironment(context: Context, place: HostPlace): TaskEnvironment {
  const { id, task, base, directory, workTree } = place;
  return {
    id,
    taskId: task.id,
    workingDirectory: workTree,
    commit: base.commit,
    isSandboxed: false,
    run: request => runOnHost(context, place, request),
    endAll: async () => {
      const reason = await endProcesses({ directory, lease: { id } });
      if (reason !== null) throw carrelError('PROCESSES_LEFT', { place: workTree, reason });
    },
    collectPatch: () => collectPatch(context, base, place),
    writeFile: async (path, content, options) => putFile(workTree, path, content, options?.executable),
    readFile: async (path, limitBytes) => takeFile(workTree, path, limitBytes),
  };
}

async function runOnHost(
  context: Context,
  place: HostPlace,
  { command: words, environment, endsLeftovers = true, ...request }: CommandRequest,
): Promise<CommandResult> {
  const { id, task, workTree } = place;
  const [command = '', ...args] = words;
  const env = commandEnvironment(context.environment, {
    ...task.environment,
    ...environment,
    ...parentVariables(context.self),
    CARREL_COMMAND_ID: id,
  });
  let started: number | undefined;
  const onStart = (pid: number) => {
    started = pid;
  };
  try {
    const result = await runProcess({ ...request, command, args, cwd: workTree, env, onStart });
    return { ...result, leftovers: endsLeftovers ? await endLeftovers(place, started) : 0 };
  } catch (error) {
    await endLeftovers(place, started);
    throw explainStart(error, command, task);
  }
}

/** Time between asking what is left to end and ending it. */
const GRACE_MS = 2000;

/** What stems from the command, carries the place's id, or works in the place. Gives how many there were. */
async function endLeftovers({ id, directory }: HostPlace, pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0;
  const left = trackTree({ pid }, id).living().length;
  if (left > 0) await killTree({ pid }, { graceMs: GRACE_MS, marker: id });
  const inside = (await findProcessesInside(directory)).map(({ identity }) => identity);
  if (inside.length > 0) await killProcesses(inside, { graceMs: GRACE_MS });
  return left + inside.length;
}

function explainStart(error: unknown, program: string, task: TaskDescriptor): unknown {
  if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'EACCES') return error;
  const problem = errnoOf(error) === 'ENOENT' ? 'it was not found' : 'it may not be executed';
  return carrelError('PROGRAM_MISSING', { program, problem, workspace: task.id }, error);
}
