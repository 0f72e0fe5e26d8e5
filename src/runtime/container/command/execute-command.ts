import type { CommandResult } from '../../../domain/command/command.js';
import type { LimitName } from '../../../domain/sandbox/runtime-finding.js';
import { isAlive } from '../../../exec/process/identify-process.js';
import { COMMAND_ID_VARIABLE } from '../../../exec/process/process-tree.js';
import type { RunProcess } from '../../../exec/run-process.js';
import { waitUntilDead } from '../../../exec/stop/wait-until-dead.js';
import type { Policy } from '../../policy.js';
import type { SandboxCommand } from '../../runtime.js';
import { ENGINES, type Engine, explainMissingEngine, lastLine } from '../engine/engine.js';
import { engineFailed, inspectContainer } from '../engine/inspect-container.js';
import type { RunningContainer } from '../lifecycle/container-record.js';
import { scriptCommand } from './command-script.js';
import { createEarlyStop } from './early-stop.js';
import { findHitLimit, readLimitCounters } from './limit-counters.js';
import { createOutputReader, type OutputReader } from './read-output.js';
import { type CommandInside, stopCommand } from './stop-command.js';

export interface ExecOptions {
  readonly engine: Engine;
  readonly run: RunProcess;
  readonly policy: Policy;
  readonly unique: () => string;
}

/**
 * Runs a command in a running container. SANDBOX_REFUSED when the engine did not start it; a container or an engine
 * that dies in the meantime is a result, because then the command's progress is unknown. A caller that hands over
 * standard error gets no proof of the start: every exit status of the engine counts as the command's, unless the
 * container is dead or paused.
 */
export async function execCommand(
  options: ExecOptions,
  container: RunningContainer,
  command: SandboxCommand,
): Promise<CommandResult> {
  const { engine, policy } = options;
  const commandId = command.environment?.[COMMAND_ID_VARIABLE] ?? options.unique();
  const output = createOutputReader(command, options.unique());
  const scripted = scriptCommand({
    command: command.command,
    environment: { ...policy.environment, ...command.environment },
    commandId,
    reportMark: output.mark,
  });
  const inside = { engine, container, commandId };
  const early = createEarlyStop({ ...options, ...inside, command, output });
  const before = readLimitCounters(container);
  const flags = execFlags(command, policy);
  const request = engine.request(
    ['exec', ...flags, ...scripted.flags, container.id, ...scripted.words],
    scripted.secrets,
  );
  const running = options.run({ ...request, ...output.request, signal: early.signal });
  const result = await early.watch(running).catch(error => {
    throw explainMissingEngine(engine.name, error);
  });

  const ended = { ...output.finish(result), ...early.outcome() };
  const hit = findHitLimit(before, readLimitCounters(container));
  const death = isContainerKnownAlive(ended, output)
    ? undefined
    : await findDeath({ ...inside, graceMs: 0 }, ended, output);
  if (!death && wasRefused(ended, output)) throw engineFailed(engine, explainRefusal(result, hit));
  return { ...ended, ...nameLimit(ended, death?.limit ?? hit), ...(death ? { sandboxDied: true } : {}) };
}

function execFlags(command: SandboxCommand, policy: Policy): string[] {
  return [
    ...(command.stdin === undefined ? [] : ['--interactive']),
    ...(command.terminal ? ['--tty'] : []),
    '--workdir',
    command.workingDirectory ?? policy.workingDirectory,
  ];
}

/** Whether it is known that the container outlived the command. */
function isContainerKnownAlive(
  { exitCode, timedOut, cancelled }: CommandResult,
  { mark, reports }: OutputReader,
): boolean {
  if (timedOut || cancelled) return true;
  return mark === undefined ? exitCode === 0 : reports.exitCode !== undefined;
}

const wasRefused = ({ timedOut, cancelled }: CommandResult, { mark, reports }: OutputReader): boolean =>
  mark !== undefined && !reports.isStarted && !timedOut && !cancelled;

/** Without a free process slot a container can't even start a command. */
const explainRefusal = (result: CommandResult, hit: LimitName | undefined): string =>
  hit === 'pids' ? 'processes inside have reached the process limit' : lastLine(result);

/**
 * Undefined when the container is alive: then a process inside killed only the command's script. SANDBOX_REFUSED when
 * it is paused and nothing proves that the command was started.
 */
async function findDeath(
  inside: CommandInside,
  { exitCode }: CommandResult,
  { mark }: OutputReader,
): Promise<{ readonly limit?: LimitName } | undefined> {
  const { engine, container } = inside;
  const { id, main } = container;
  // The kernel kills all other processes of a pid namespace before the first one is dead.
  if (main && exitCode === KILLED_STATUS) await waitUntilDead(main.pid, DEATH_MS);
  const lives = main !== undefined && isAlive(main) === 'alive';
  const isDoubtful = mark === undefined && ENGINE_STATUSES.has(exitCode);
  if (lives && !ENGINES[engine.name].hasDaemon && !isDoubtful) return undefined;
  const state = await inspectContainer(engine, id).catch(() => 'gone' as const);
  if (state === 'gone' && lives) await stopCommand(inside, () => true);
  if (state === 'gone' || !state) return {};
  if (state.status === 'paused' && isDoubtful) throw engineFailed(engine, 'its container is paused');
  if (state.status === 'running' || state.status === 'paused') return undefined;
  return state.oomKilled ? { limit: 'memory' } : {};
}

/** Exit statuses of `exec` itself; for a paused container docker has 1 and podman 255 (20.10 and 4.3). */
const ENGINE_STATUSES: ReadonlySet<number | null> = new Set([1, 125, 126, 127, 255]);

const KILLED_STATUS = 128 + 9;

/** Milliseconds until all processes of a namespace are dead. */
const DEATH_MS = 500;

/** SIGXFSZ is 25 on the supported architectures. */
const FILE_SIZE_STATUS = 128 + 25;

function nameLimit(result: CommandResult, hit: LimitName | undefined): { limit?: LimitName } {
  if ('limit' in result) return {};
  if (result.exitCode === FILE_SIZE_STATUS) return { limit: 'fileSize' };
  return hit === undefined ? {} : { limit: hit };
}
