import { carrelError, errnoOf } from '../domain/error.js';
import { commandEnvironment } from '../exec/environment.js';
import { findProcessesInside } from '../exec/inside.js';
import { killProcesses, killTree } from '../exec/kill-tree.js';
import { parentVariables } from '../exec/orphans.js';
import type { Enclosure } from '../exec/pid-namespace.js';
import { trackTree } from '../exec/process-tree.js';
import { type RunRequest, runProcess } from '../exec/run.js';
import { type EnclosedResult, runEnclosed } from '../exec/run-enclosed.js';
import type { Context } from '../operations/context.js';
import type { CommandRequest, CommandResult } from '../operations/run-command.js';
import type { TaskDescriptor } from './isolation-provider.js';
import type { HostPlace } from './provider-host.js';

export interface HostSite {
  readonly context: Context;
  readonly place: HostPlace;
  /** Undefined where no pid namespace can be had. */
  readonly enclosure: Enclosure | undefined;
}

/** Runs a command of an attempt on the machine itself. PROGRAM_MISSING. */
export async function runHostCommand(
  site: HostSite,
  { command: words, environment, endsLeftovers = true, ...request }: CommandRequest,
): Promise<CommandResult> {
  const { context, place } = site;
  const [command = '', ...args] = words;
  const env = commandEnvironment(context.environment, {
    ...place.task.environment,
    ...environment,
    ...parentVariables(context.self),
    CARREL_COMMAND_ID: place.id,
  });
  const whole = { ...request, command, args, cwd: place.workTree, env };
  try {
    return endsLeftovers ? await runAndEnd(site, whole) : { ...(await runProcess(whole)), leftovers: 0 };
  } catch (error) {
    throw explainStart(error, command, place.task);
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

/** In a pid namespace, where there is one; without, nobody has counted what is left, nor ended it. */
async function runAlone({ context, enclosure }: HostSite, request: RunRequest): Promise<EnclosedResult> {
  if (enclosure) return await runEnclosed(enclosure, request, context.places.temporaryRoot);
  return { ...(await runProcess(request)), leftovers: undefined };
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
