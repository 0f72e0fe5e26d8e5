import { expect, it } from 'vitest';
import { exitCodeOfSignal, exitCodes } from './exit-code.js';
import { exitCodeOfRun } from './exit-code-of-run.js';

it('gives each kind of error its documented exit status', () => {
  expect(exitCodes).toEqual({
    failed: 1,
    user: 2,
    config: 2,
    conflict: 3,
    environment: 4,
    'not-found': 5,
    internal: 6,
  });
});

it('reports a signal as a shell does', () => {
  expect(exitCodeOfSignal('SIGINT')).toBe(130);
  expect(exitCodeOfSignal('SIGTERM')).toBe(143);
});

it("returns a command's own exit status", () => {
  const result = {
    exitCode: 7,
    signal: null,
    timedOut: false,
    cancelled: false,
    durationMs: 1,
    stdout: '',
    stderr: '',
    truncated: false,
  };
  const undisturbed = { exitCode: () => undefined };
  expect(exitCodeOfRun(result, undisturbed)).toBe(7);
  expect(exitCodeOfRun({ ...result, exitCode: null, signal: 'SIGSEGV' }, undisturbed)).toBe(139);
  expect(
    exitCodeOfRun({ ...result, exitCode: null, signal: 'SIGKILL', cancelled: true }, { exitCode: () => 143 }),
  ).toBe(143);
});
