import { expect, test } from 'vitest';
import { Finding } from '../finding.js';
import type { Machine } from '../machine/machine.js';
import { createModel } from '../model/model.js';
import { type Plan, planCommand } from '../steps/plan-command.js';
import type { CommandStep, Fault } from '../steps/step.js';
import { checkAnswer } from './check-answer.js';

const EXEC: CommandStep = { op: 'exec', name: 'w1', work: 'slow' };

/** What is said of an exec that ended with this status while the other command ran. */
function judge(status: number, other: CommandStep) {
  const fault: Fault = { kind: 'beside', delayMs: 0, other };
  const outcome = { status, signal: null, stdout: '', stderr: '' };
  const ended = { outcome, wasSignalled: false, durationMs: 1 };
  return () => checkAnswer(plan(EXEC), ended, fault, plan(other));
}

const plan = (step: CommandStep): Plan =>
  planCommand(step, 1, createModel(), { repository: '/repository', plain: '/plain' } as Machine) as Plan;

test.each<CommandStep>([
  { op: 'down', name: 'w1', discards: true },
  { op: 'reset', name: 'w1', discards: true },
])('$op may stop a command that runs in the same workspace', other => {
  for (const status of [143, 137]) expect(judge(status, other)()).toBe('stopped');
  expect(judge(1, other)).toThrow(Finding);
});

test.each<CommandStep>([
  { op: 'down', name: 'w1', discards: false },
  { op: 'down', name: 'w2', discards: true },
  { op: 'reset', name: 'w2', discards: true },
  { op: 'land', name: 'w1', into: 'main', options: [] },
  { op: 'gc', options: ['--older-than', '0s'] },
  { op: 'snapshot', name: 'w1' },
  { op: 'look', words: ['ls'] },
])('a command that was stopped beside $op, which stops nothing there, is noticed', other => {
  for (const status of [143, 137]) expect(judge(status, other)).toThrow(Finding);
});
