import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessSource } from '../process/process-source.js';
import { systemProcesses } from '../process/process-table.js';
import { listMembers, type Member, type SandboxRoot, signalMember } from './sandbox-processes.js';

export interface HaltOptions {
  /** Milliseconds until it gives up. */
  readonly limitMs: number;
  /** The system's own by default. */
  readonly source?: ProcessSource | undefined;
}

/**
 * Stops every process below the roots, and the roots, and returns those that still run when the time is over. None
 * means that two checks in a row found the same processes, all of them stopped. A process that keeps forking and leaves
 * no zombies may look like a quiet sandbox; a process limit stops it.
 */
export async function haltAll(findRoots: () => SandboxRoot[], options: HaltOptions): Promise<Member[]> {
  const { source = systemProcesses() } = options;
  const deadline = performance.now() + options.limitMs;
  for (;;) {
    const running = await haltOnce(findRoots, Math.min(performance.now() + ATTEMPT_MS, deadline), source);
    if (running.length === 0 || performance.now() >= deadline) return running;
    // A process that starts another with vfork waits in the kernel until the other has started, and can only be stopped
    // after that: both continue for a moment.
    continueAll(findRoots(), source);
    await delay(PAUSE_MS);
  }
}

/** Lets everything below the roots, and the roots, continue. */
export function continueAll(roots: readonly SandboxRoot[], source = systemProcesses()): void {
  for (const member of listMembers(roots, source))
    if (member.states.some(isHalted)) signalMember(member, 'SIGCONT', source);
}

/** Sends SIGTERM to everything below a root, but not the root: with it everything would die at once. */
export function terminateBelow(root: SandboxRoot): void {
  for (const member of listMembers([root])) {
    if (member.pid === root.identity.pid) continue;
    signalMember(member, 'SIGTERM');
    // Only then does a stopped process receive it.
    if (member.states.some(isHalted)) signalMember(member, 'SIGCONT');
  }
}

const ATTEMPT_MS = 500;
const PAUSE_MS = 5;

async function haltOnce(
  findRoots: () => SandboxRoot[],
  deadline: number,
  source: ProcessSource,
): Promise<Member[]> {
  let before: string | undefined;
  for (;;) {
    const members = listMembers(findRoots(), source);
    const running = members.filter(member => !member.states.every(isStill));
    const now = describe(members);
    if (running.length === 0 && now === before) return [];
    if (performance.now() >= deadline) return running.length > 0 ? running : members;
    before = now;
    for (const member of running) signalMember(member, 'SIGSTOP', source);
    if (running.length > 0) await delay(1);
  }
}

const isHalted = (state: string): boolean => state === 'T' || state === 't';

/** Stopped, or dead: a zombie does nothing. */
const isStill = (state: string): boolean => isHalted(state) || 'ZXx'.includes(state);

const describe = (members: readonly Member[]): string =>
  members.map(({ pid, startedAt }) => `${pid}.${startedAt}`).join(' ');
