import { carrelError } from '../domain/error.js';
import { exitCodeOfSignal } from './exit-code.js';

/**
 * What the first SIGINT or SIGTERM does:
 * - `stop`: the process exits at once. For commands that only look.
 * - `finish`: `signal` is aborted and the command comes to its end, undoing what it began. A second one exits at once.
 * - `leave-to-child`: SIGINT is the business of the program that has the terminal; SIGTERM is as in `finish`.
 */
export type InterruptionPolicy = 'stop' | 'finish' | 'leave-to-child';

export interface Interruption {
  readonly signal: AbortSignal;
  readonly follow: (policy: InterruptionPolicy) => void;
  /** 130 or 143 once it happened. */
  readonly exitCode: () => number | undefined;
}

export interface InterruptionWiring {
  readonly listen: (signal: 'SIGINT' | 'SIGTERM', listener: () => void) => void;
  readonly exit: (code: number) => void;
  readonly narrate: (line: string) => void;
}

export function listenForInterruption({ listen, exit, narrate }: InterruptionWiring): Interruption {
  const controller = new AbortController();
  let policy: InterruptionPolicy = 'stop';
  let exitCode: number | undefined;
  const receive = (signal: 'SIGINT' | 'SIGTERM') => {
    if (policy === 'leave-to-child' && signal === 'SIGINT') return;
    if (policy === 'stop' || exitCode !== undefined) return exit(exitCodeOfSignal(signal));
    exitCode = exitCodeOfSignal(signal);
    narrate('carrel: interrupted; coming to a safe end (again to stop at once)');
    controller.abort(carrelError('INTERRUPTED', { signal }));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) listen(signal, () => receive(signal));
  return {
    signal: controller.signal,
    follow: next => {
      policy = next;
    },
    exitCode: () => exitCode,
  };
}
