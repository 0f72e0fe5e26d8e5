import { carrelError } from '../../../domain/error/error.js';
import { exitCodeOfSignal } from './exit-code.js';

/**
 * What the first SIGINT, SIGTERM or SIGHUP (the terminal was closed, the connection is gone) does:
 * - `stop`: the process exits at once. For read-only commands.
 * - `finish`: `signal` is aborted; the command undoes what it began and stops. A second signal exits at once.
 * - `drain`: `drain` is aborted, so that nothing new starts; the second is like the first in `finish`, the third exits.
 * - `leave-to-child`: SIGINT is left to the program that has the terminal; the others are as in `finish`.
 */
export type InterruptionPolicy = 'stop' | 'finish' | 'drain' | 'leave-to-child';

export interface Interruption {
  readonly signal: AbortSignal;
  /** With the policy `drain`, aborted before `signal`. */
  readonly drain: AbortSignal;
  readonly follow: (policy: InterruptionPolicy) => void;
  /** 130, 143 or 129 after an interruption. */
  readonly exitCode: () => number | undefined;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type InterruptingSignal = (typeof SIGNALS)[number];

export interface InterruptionWiring {
  readonly listen: (signal: InterruptingSignal, listener: () => void) => void;
  /** Kills this process and its children at once. */
  readonly exit: (code: number) => void;
  readonly narrate: (line: string) => void;
}

export function listenForInterruption({ listen, exit, narrate }: InterruptionWiring): Interruption {
  const controller = new AbortController();
  const draining = new AbortController();
  let policy: InterruptionPolicy = 'stop';
  let exitCode: number | undefined;
  const receive = (signal: InterruptingSignal) => {
    if (policy === 'leave-to-child' && signal === 'SIGINT') return;
    if (policy === 'drain' && !draining.signal.aborted) {
      exitCode = exitCodeOfSignal(signal);
      narrate('carrel: starting nothing new; waiting for running work (repeat to stop it)');
      return draining.abort(carrelError('INTERRUPTED', { signal }));
    }
    const isRepeated = policy === 'drain' ? controller.signal.aborted : exitCode !== undefined;
    if (policy === 'stop' || isRepeated) return exit(exitCodeOfSignal(signal));
    exitCode = exitCodeOfSignal(signal);
    narrate('carrel: interrupted; stopping safely (repeat to stop at once)');
    controller.abort(carrelError('INTERRUPTED', { signal }));
  };
  for (const signal of SIGNALS) listen(signal, () => receive(signal));
  return {
    signal: controller.signal,
    drain: draining.signal,
    follow: next => {
      policy = next;
    },
    exitCode: () => exitCode,
  };
}
