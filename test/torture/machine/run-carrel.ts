import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome } from '../../helpers/carrel.js';
import { childrenOf } from '../../helpers/machine/processes.js';
import { Finding } from '../finding.js';
import type { Fault } from '../steps/step.js';
import type { Machine } from './machine.js';

/** How a command came to its end. */
export interface Ended {
  readonly outcome: Outcome;
  /** Whether one of our signals killed it, or may have. */
  readonly wasSignalled: boolean;
  readonly durationMs: number;
}

export interface Invocation {
  readonly args: readonly string[];
  readonly cwd: string;
}

/** Longer than any command takes on a machine with too much to do. */
const HANG_MS = 180_000;

/** Runs the built command line as a separate process, with what happens to it meanwhile. */
export async function runCarrel(
  machine: Machine,
  { args, cwd }: Invocation,
  fault?: Exclude<Fault, { kind: 'beside' }>,
): Promise<Ended> {
  const start = performance.now();
  if (fault?.kind === 'full-disk') machine.disk?.fill(fault.leftKb * 1024);
  const running = machine.carrel.startWith(faultyEnvironment(machine, fault), cwd, ...args);
  const timers = new AbortController();
  const sent = sendSignal(machine, running.child, fault, timers.signal);
  const hung = watchForHang(running.child, timers.signal);
  const outcome = await running;
  timers.abort();
  const wasSent = await sent;
  machine.disk?.free();
  if (await hung)
    throw new Finding('answer', `carrel ${args.join(' ')} did not end within ${HANG_MS / 1000} s`);
  const wasSignalled = wasSent || (fault?.kind === 'kill-at' && outcome.signal === 'SIGKILL');
  return { outcome, wasSignalled, durationMs: performance.now() - start };
}

function faultyEnvironment(machine: Machine, fault: Fault | undefined): Record<string, string> {
  if (fault?.kind === 'kill-at') return { CARREL_TEST_KILL_AT: fault.moment };
  if (fault?.kind !== 'clock') return {};
  const NODE_OPTIONS = `--require=${join(machine.carrel.home, 'clock.cjs')}`;
  return { NODE_OPTIONS, TORTURE_CLOCK_MS: String(fault.days * 86_400_000) };
}

const SIGNALS = { terminate: 'SIGTERM', interrupt: 'SIGINT' } as const;

/** Whether a process was still there to receive it. */
async function sendSignal(
  machine: Machine,
  child: ChildProcess,
  fault: Fault | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (!fault || !('afterMs' in fault)) return false;
  const isOver = await delay(fault.afterMs, false, { signal }).catch(() => true);
  if (isOver) return false;
  switch (fault.kind) {
    case 'kill':
      return child.kill('SIGKILL');
    case 'kill-tree':
      return killTree(child);
    case 'stop':
      return haltWhileOthersLook(machine, child);
    default:
      return child.kill(SIGNALS[fault.kind]);
  }
}

function killTree(child: ChildProcess): boolean {
  const others = descendantsOf(child.pid ?? 0);
  const wasAlive = child.kill('SIGKILL');
  for (const pid of others)
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  return wasAlive;
}

function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid).map(line => Number.parseInt(line, 10));
  return children.flatMap(child => [child, ...descendantsOf(child)]);
}

/** Like Ctrl-Z; other processes must not treat it as dead. It continues to its normal end afterwards. */
async function haltWhileOthersLook(machine: Machine, child: ChildProcess): Promise<boolean> {
  child.kill('SIGSTOP');
  const looking = machine.carrel.start(machine.repository, 'ls', '--fast', '--json');
  const waited = new AbortController();
  await Promise.race([looking, delay(2000, undefined, { signal: waited.signal })]);
  waited.abort();
  child.kill('SIGCONT');
  await looking;
  return false;
}

async function watchForHang(child: ChildProcess, signal: AbortSignal): Promise<boolean> {
  const isOver = await delay(HANG_MS, false, { signal }).catch(() => true);
  if (!isOver) child.kill('SIGKILL');
  return !isOver;
}
