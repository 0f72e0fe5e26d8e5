import type { LimitName } from '../../domain/runtime.js';
import { isAlive } from '../../exec/process-identity.js';
import { COMMAND_ID_VARIABLE } from '../../exec/process-tree.js';
import type { RunRequest, RunResult } from '../../exec/run.js';
import { waitUntilDead } from '../../exec/wait-until-dead.js';
import type { Policy } from '../policy.js';
import type { SandboxCommand, SandboxResult } from '../runtime.js';
import { scriptCommand } from './command-script.js';
import type { RunningContainer } from './container-record.js';
import { createEarlyStop } from './early-stop.js';
import { type CommandInside, endCommand } from './end-command.js';
import { ENGINES, type Engine, explainStart, lastLine } from './engine.js';
import { engineFailed, inspectContainer } from './inspect.js';
import { findHitLimit, readLimitCounters } from './limit-counters.js';
import { createOutputReader, type OutputReader } from './read-output.js';

export interface ExecOptions {
  readonly engine: Engine;
  readonly run: (request: RunRequest) => Promise<RunResult>;
  readonly policy: Policy;
  readonly unique: () => string;
}

/**
 * Runs a command in a container that runs, once. SANDBOX_REFUSED when the engine did not start it; a container or an
 * engine that dies meanwhile is a result, because then nobody knows how far the command has come. Whoever hands over
 * standard error gets no proof of the start: every answer of the engine counts as the command's, unless the container is
 * dead or paused.
 */
export async function execCommand(
  options: ExecOptions,
  container: RunningContainer,
  command: SandboxCommand,
): Promise<SandboxResult> {
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
    throw explainStart(engine.name, error);
  });

  const ended = { ...output.finish(result), ...early.outcome() };
  const hit = findHitLimit(before, readLimitCounters(container));
  const death = hasTold(ended, output)
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
function hasTold({ exitCode, timedOut, cancelled }: RunResult, { mark, reports }: OutputReader): boolean {
  if (timedOut || cancelled) return true;
  return mark === undefined ? exitCode === 0 : reports.exitCode !== undefined;
}

const wasRefused = ({ timedOut, cancelled }: RunResult, { mark, reports }: OutputReader): boolean =>
  mark !== undefined && !reports.isStarted && !timedOut && !cancelled;

/** With no process left to it, a container can't even begin a command. */
const explainRefusal = (result: RunResult, hit: LimitName | undefined): string =>
  hit === 'pids' ? 'what runs inside has reached the limit of processes' : lastLine(result);

/**
 * Undefined when the container lives: then only the command's script was killed, by somebody inside. SANDBOX_REFUSED when
 * it is paused and nothing proves that the command was started.
 */
async function findDeath(
  inside: CommandInside,
  { exitCode }: RunResult,
  { mark }: OutputReader,
): Promise<{ readonly limit?: LimitName } | undefined> {
  const { engine, container } = inside;
  const { id, main } = container;
  // The kernel ends all others of a pid namespace before the first process itself is dead.
  if (main && exitCode === KILLED_STATUS) await waitUntilDead(main.pid, DEATH_MS);
  const lives = main !== undefined && isAlive(main) === 'alive';
  const isDoubtful = mark === undefined && ENGINE_STATUSES.has(exitCode);
  if (lives && !ENGINES[engine.name].hasDaemon && !isDoubtful) return undefined;
  const state = await inspectContainer(engine, id).catch(() => 'gone' as const);
  if (state === 'gone' && lives) await endCommand(inside, () => true);
  if (state === 'gone' || !state) return {};
  if (state.status === 'paused' && isDoubtful) throw engineFailed(engine, 'its container is paused');
  if (state.status === 'running' || state.status === 'paused') return undefined;
  return state.oomKilled ? { limit: 'memory' } : {};
}

/** What `exec` itself ends with; of a paused container it is docker's 1 and podman's 255 (20.10 and 4.3). */
const ENGINE_STATUSES: ReadonlySet<number | null> = new Set([1, 125, 126, 127, 255]);

const KILLED_STATUS = 128 + 9;

/** Milliseconds in which a namespace is gone, of however many processes. */
const DEATH_MS = 500;

/** SIGXFSZ is 25 on the architectures that there are sandboxes for. */
const FILE_SIZE_STATUS = 128 + 25;

function nameLimit(result: RunResult, hit: LimitName | undefined): { limit?: LimitName } {
  if ('limit' in result) return {};
  if (result.exitCode === FILE_SIZE_STATUS) return { limit: 'fileSize' };
  return hit === undefined ? {} : { limit: hit };
}
