import { expect, test } from 'vitest';
import { type AgentEnding, classifyEnding } from './classify.js';

const WELL: AgentEnding = { exitCode: 0, timedOut: false, cancelled: false };
const ENDED = { exitCode: null };
const problem = (kind: 'key-missing' | 'rate-limited' | 'agent-failed' | 'limit') => ({
  exitCode: 1,
  problem: { kind, text: 'told' },
});

test.each<[string, Partial<AgentEnding>, ReturnType<typeof classifyEnding>]>([
  ['exit status 0', {}, undefined],
  ['another exit status', { exitCode: 3 }, 'agent-failed'],
  ['a signal', ENDED, 'agent-failed'],
  ['a program that is not there', { exitCode: 127 }, 'program-missing'],
  ['a program that can not be executed', { exitCode: 126 }, 'program-missing'],
  ['a script whose last command was not there', { exitCode: 127, stdout: Buffer.from('x') }, 'agent-failed'],
  ['a time-out', { ...ENDED, timedOut: true }, 'timed-out'],
  ['a cancel', { ...ENDED, cancelled: true, timedOut: true }, 'cancelled'],
  ['a missing key', problem('key-missing'), 'key-missing'],
  ['a rate limit', problem('rate-limited'), 'rate-limited'],
  ['a failure that is told with exit status 0', { ...problem('agent-failed'), exitCode: 0 }, 'agent-failed'],
  ['a limit of the agent itself', problem('limit'), 'limit'],
  ['memory of the sandbox', { ...ENDED, limit: 'memory' }, 'limit'],
  ['time of the sandbox', { ...ENDED, limit: 'time', timedOut: true }, 'limit'],
  ['a limit that the agent has coped with', { limit: 'fileSize' }, undefined],
  ['a sandbox that died', { ...ENDED, sandboxDied: true, limit: 'memory' }, 'sandbox-failed'],
  [
    'a time-out while it waited for a rate limit',
    { ...problem('rate-limited'), timedOut: true },
    'timed-out',
  ],
])('%s is told apart', (_, ending, kind) => {
  expect(classifyEnding({ ...WELL, ...ending })).toBe(kind);
});
