import type { Attempt, Outcome } from '../../../../domain/batch/attempt.js';
import { alignColumns } from '../../terminal/columns.js';
import type { Paint } from '../../terminal/output.js';
import { printable } from '../../terminal/printable.js';
import { formatCost, formatElapsed } from '../format-amounts.js';

const MARKS: Readonly<Record<Outcome, { mark: string; colour: keyof Paint }>> = {
  passed: { mark: '✓', colour: 'green' },
  failed: { mark: '✗', colour: 'red' },
  'agent-error': { mark: '✗', colour: 'red' },
  'agent-timeout': { mark: '✗', colour: 'red' },
  limit: { mark: '✗', colour: 'red' },
  'grader-error': { mark: '!', colour: 'yellow' },
  infrastructure: { mark: '!', colour: 'yellow' },
  cancelled: { mark: '-', colour: 'dim' },
};

/** `✓ fix-typo-001 #1  passed  1.00  2s  $0.10`, with the reason if it did not pass. */
export function formatAttemptLine(attempt: Attempt, paint: Paint): string {
  return formatCells(attempt, paint).filter(Boolean).join('  ');
}

const HEADINGS = ['  TASK', 'OUTCOME', 'SCORE', 'TIME', 'COST', 'WHY'];

/** The same for several attempts, with headings; empty columns are omitted. */
export function formatAttemptTable(attempts: readonly Attempt[], paint: Paint): string[] {
  if (attempts.length === 0) return [];
  const rows = attempts.map(attempt => formatCells(attempt, paint));
  const isUsed = (_: unknown, column: number) => rows.some(row => row[column] !== '');
  return alignColumns([HEADINGS, ...rows].map(row => row.filter(isUsed)));
}

function formatCells(attempt: Attempt, paint: Paint): string[] {
  const { taskId, attempt: number, outcome, score, durationMs, costUsd } = attempt;
  const { mark, colour } = MARKS[outcome];
  return [
    `${paint[colour](mark)} ${printable(taskId)} #${number}`,
    outcome,
    score.toFixed(2),
    formatElapsed(durationMs),
    formatCost(costUsd),
    dimUnlessEmpty(reasonOf(attempt), paint),
  ];
}

const dimUnlessEmpty = (text: string, paint: Paint): string => (text === '' ? '' : paint.dim(text));

/** The first line of the reason for not passing. */
function reasonOf({ outcome, message, graders }: Attempt): string {
  if (outcome === 'passed' || outcome === 'cancelled') return '';
  const red = graders.find(grade => !grade.passed);
  const text = outcome === 'failed' ? (red?.detail ?? red?.name ?? '') : (message ?? '');
  return printable(text.trim().split('\n', 1)[0] ?? '').slice(0, 120);
}
