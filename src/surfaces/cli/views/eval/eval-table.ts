import type { BatchRun } from '../../../../domain/batch/batch-run.js';
import { alignColumns } from '../../terminal/columns.js';
import { cutToWidth } from '../../terminal/display-width.js';
import { printable } from '../../terminal/printable.js';
import { formatAgo } from '../ago.js';
import { formatSpending } from '../format-amounts.js';
import { UNKNOWN } from '../format-state.js';

const HEADINGS = ['ID', 'STATUS', 'DATASET', 'AGENT', 'ISOLATION', 'PASSED', 'COST', 'STARTED'];

/** A command may be very long. */
const AGENT_WIDTH = 30;

/** `carrel eval ls` as text. */
export function formatRunTable(runs: readonly BatchRun[], now: number): string {
  return alignColumns([HEADINGS, ...runs.map(run => formatRow(run, now))]).join('\n');
}

function formatRow(run: BatchRun, now: number): string[] {
  const { totals, taskIds, attemptsPerTask } = run;
  return [
    run.id,
    run.status,
    printable(run.dataset),
    cutToWidth(printable(run.agent), AGENT_WIDTH),
    run.isolation,
    `${totals.passed}/${taskIds.length * attemptsPerTask}`,
    formatSpending(run) || UNKNOWN,
    formatAgo(run.createdAt, now),
  ];
}
