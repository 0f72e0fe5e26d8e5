import { expect, test } from 'vitest';
import type { CommandResult } from '../../../domain/command/command.js';
import { lastLine } from './engine.js';

const say = (stderr: string, rest: Partial<CommandResult> = {}): string =>
  lastLine({ stdout: Buffer.alloc(0), stderr: Buffer.from(stderr), exitCode: 125, ...rest } as CommandResult);

test('an engine is quoted with its last line, and a silent one with its exit status', () => {
  expect(say('trying\nError: no such container\n')).toBe('no such container');
  expect(say('')).toBe('it gave no reason (exit status 125)');
  expect(say('', { exitCode: null })).toBe('it gave no reason (exit status none)');
  expect(say('', { timedOut: true })).toBe('it did not answer in time');
});
