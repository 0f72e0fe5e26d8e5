import type { BatchRun } from '../../domain/batch-run.js';
import { alignColumns } from '../columns.js';
import { cutToWidth } from '../display-width.js';
import { printable } from '../printable.js';
import { formatAgo } from './ago.js';
import { formatSpending } from './amounts.js';
import { UNKNOWN } from './workspace-state.js';

const HEADINGS = ['ID', 'STATUS', 'DATA SET', 'AGENT', 'ISOLATION', 'PASSED', 'COST', 'BEGUN'];

/** A command may be as long as one likes. */
const AGENT_WIDTH = 30;

/** `carrel eval ls` for people. */
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
