import { expect, test } from 'vitest';
import { type AgentEnding, classifyEnding } from './classify-ending.js';

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
  ['a missing program', { exitCode: 127 }, 'program-missing'],
  ['a program that cannot be executed', { exitCode: 126 }, 'program-missing'],
  ['a script whose last command was missing', { exitCode: 127, stdout: Buffer.from('x') }, 'agent-failed'],
  ['a timeout', { ...ENDED, timedOut: true }, 'timed-out'],
  ['a cancel', { ...ENDED, cancelled: true, timedOut: true }, 'cancelled'],
  ['a missing key', problem('key-missing'), 'key-missing'],
  ['a rate limit', problem('rate-limited'), 'rate-limited'],
  [
    'a failure that is reported with exit status 0',
    { ...problem('agent-failed'), exitCode: 0 },
    'agent-failed',
  ],
  ['a limit of the agent itself', problem('limit'), 'limit'],
  ['memory of the sandbox', { ...ENDED, limit: 'memory' }, 'limit'],
  ['time of the sandbox', { ...ENDED, limit: 'time', timedOut: true }, 'limit'],
  ['a limit that the agent recovered from', { limit: 'fileSize' }, undefined],
  ['a sandbox that died', { ...ENDED, sandboxDied: true, limit: 'memory' }, 'sandbox-failed'],
  ['a timeout while it waited for a rate limit', { ...problem('rate-limited'), timedOut: true }, 'timed-out'],
])('%s is classified', (_, ending, kind) => {
  expect(classifyEnding({ ...WELL, ...ending })).toBe(kind);
});
