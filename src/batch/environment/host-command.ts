import type { TaskDescriptor } from '../../domain/batch/task-descriptor.js';
import type { Command, CommandResult } from '../../domain/command/command.js';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import { commandEnvironment } from '../../exec/command-environment.js';
import type { Enclosure } from '../../exec/enclosure/pid-namespace.js';
import { runEnclosed } from '../../exec/enclosure/run-enclosed.js';
import { findProcessesInside } from '../../exec/inside/processes-inside.js';
import { trackTree } from '../../exec/process/process-tree.js';
import { toRunRequest } from '../../exec/process-environment.js';
import { type RunRequest, runProcess } from '../../exec/run-process.js';
import { killProcesses, killTree } from '../../exec/stop/kill-tree.js';
import { parentVariables } from '../../exec/stop/orphans.js';
import type { Context } from '../../operations/context.js';
import type { HostPlace } from './host-environment.js';

export interface HostSite {
  readonly context: Context;
  readonly place: HostPlace;
  /** Undefined where pid namespaces are not available. */
  readonly enclosure: Enclosure | undefined;
}

/** Runs a command of an attempt on the host. PROGRAM_MISSING. */
export async function runHostCommand(site: HostSite, command: Command): Promise<CommandResult> {
  const { context, place } = site;
  const { workingDirectory: cwd = place.workTree, endsLeftovers = true } = command;
  const variables = {
    ...place.task.environment,
    ...command.environment,
    ...parentVariables(context.self),
    CARREL_COMMAND_ID: place.id,
  };
  const env = commandEnvironment(context.environment, { directory: cwd }, variables);
  const request = toRunRequest(command, { cwd, env });
  try {
    return endsLeftovers ? await runAndEnd(site, request) : { ...(await runProcess(request)), leftovers: 0 };
  } catch (error) {
    throw explainStart(error, request.command, place.task);
  }
}

async function runAndEnd(site: HostSite, request: RunRequest): Promise<CommandResult> {
  let started: number | undefined;
  const onStart = (pid: number) => {
    started = pid;
  };
  try {
    const { leftovers, ...result } = await runAlone(site, { ...request, onStart });
    return { ...result, leftovers: leftovers ?? (await endLeftovers(site.place, started)) };
  } catch (error) {
    await endLeftovers(site.place, started);
    throw error;
  }
}

/** In a pid namespace, where available. Without one, leftover processes have not been counted or killed yet. */
async function runAlone({ context, enclosure }: HostSite, request: RunRequest): Promise<CommandResult> {
  if (enclosure) return await runEnclosed(enclosure, request, context.places.temporaryRoot);
  return { ...(await runProcess(request)), leftovers: undefined };
}

/** Time between asking leftover processes to stop and killing them. */
const GRACE_MS = 2000;

/** Kills descendants of the command, and processes that have the environment's id or run in its directory. Returns how many there were. */
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
  const problem = errnoOf(error) === 'ENOENT' ? 'it was not found' : 'it is not executable';
  return carrelError('PROGRAM_MISSING', { program, problem, workspace: task.id }, error);
}
