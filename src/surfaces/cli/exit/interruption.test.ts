import { expect, it } from 'vitest';
import { type InterruptionPolicy, listenForInterruption } from './interruption.js';

function interrupt(policy: InterruptionPolicy | undefined, ...signals: ('SIGINT' | 'SIGTERM' | 'SIGHUP')[]) {
  const listeners = new Map<string, () => void>();
  const exits: number[] = [];
  const interruption = listenForInterruption({
    listen: (signal, listener) => listeners.set(signal, listener),
    exit: code => exits.push(code),
    narrate: () => {},
  });
  if (policy) interruption.follow(policy);
  for (const signal of signals) listeners.get(signal)?.();
  return { exits, aborted: interruption.signal.aborted, exitCode: interruption.exitCode() };
}

it('stops a read-only command at once', () => {
  expect(interrupt(undefined, 'SIGINT')).toEqual({ exits: [130], aborted: false, exitCode: undefined });
  expect(interrupt('stop', 'SIGTERM')).toEqual({ exits: [143], aborted: false, exitCode: undefined });
});

it('lets a command that changes something finish safely', () => {
  expect(interrupt('finish', 'SIGINT')).toEqual({ exits: [], aborted: true, exitCode: 130 });
  expect(interrupt('finish', 'SIGTERM')).toEqual({ exits: [], aborted: true, exitCode: 143 });
  expect(interrupt('finish', 'SIGHUP')).toEqual({ exits: [], aborted: true, exitCode: 129 });
});

it('exits at once the second time', () => {
  expect(interrupt('finish', 'SIGINT', 'SIGTERM')).toEqual({ exits: [143], aborted: true, exitCode: 130 });
});

it('leaves Ctrl-C, and no other signal, to the program that has the terminal', () => {
  expect(interrupt('leave-to-child', 'SIGINT', 'SIGINT')).toEqual({
    exits: [],
    aborted: false,
    exitCode: undefined,
  });
  expect(interrupt('leave-to-child', 'SIGINT', 'SIGTERM')).toEqual({
    exits: [],
    aborted: true,
    exitCode: 143,
  });
});
