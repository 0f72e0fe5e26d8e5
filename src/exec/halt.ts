import { setTimeout as delay } from 'node:timers/promises';
import { listMembers, type Member, type SandboxRoot, signalMember } from './sandbox-processes.js';

export interface HaltOptions {
  /** Milliseconds after which it is given up. */
  readonly limitMs: number;
}

/**
 * Stops every process below the roots, and the roots, and gives those that still run when the time is over: none means
 * that two looks in a row have found the same processes, all of them stopped. What forks without end and leaves no
 * zombies is told apart from a quiet sandbox only by luck; a limit on processes ends it.
 */
export async function haltAll(findRoots: () => SandboxRoot[], options: HaltOptions): Promise<Member[]> {
  const deadline = performance.now() + options.limitMs;
  for (;;) {
    const running = await haltOnce(findRoots, Math.min(performance.now() + ATTEMPT_MS, deadline));
    if (running.length === 0 || performance.now() >= deadline) return running;
    // A process that starts another with vfork waits in the kernel until the other has begun, and is stopped for good
    // only then: both are let go for a moment.
    letGo(findRoots());
    await delay(PAUSE_MS);
  }
}

/** Lets everything below the roots, and the roots, go on. */
export function letGo(roots: readonly SandboxRoot[]): void {
  for (const member of listMembers(roots)) if (member.states.some(isHalted)) signalMember(member, 'SIGCONT');
}

/** Asks everything below a root to end, but not the root: with it all would be gone at once. */
export function askBelow(root: SandboxRoot): void {
  for (const member of listMembers([root])) {
    if (member.pid === root.identity.pid) continue;
    signalMember(member, 'SIGTERM');
    // Only so does a stopped process see it.
    if (member.states.some(isHalted)) signalMember(member, 'SIGCONT');
  }
}

const ATTEMPT_MS = 500;
const PAUSE_MS = 5;

async function haltOnce(findRoots: () => SandboxRoot[], deadline: number): Promise<Member[]> {
  let before: string | undefined;
  for (;;) {
    const members = listMembers(findRoots());
    const running = members.filter(member => !member.states.every(isStill));
    const now = describe(members);
    if (running.length === 0 && now === before) return [];
    if (performance.now() >= deadline) return running.length > 0 ? running : members;
    before = now;
    for (const member of running) signalMember(member, 'SIGSTOP');
    if (running.length > 0) await delay(1);
  }
}

const isHalted = (state: string): boolean => state === 'T' || state === 't';

/** Stopped, or dead: a zombie does nothing any more. */
const isStill = (state: string): boolean => isHalted(state) || 'ZXx'.includes(state);

const describe = (members: readonly Member[]): string =>
  members.map(({ pid, startedAt }) => `${pid}.${startedAt}`).join(' ');
