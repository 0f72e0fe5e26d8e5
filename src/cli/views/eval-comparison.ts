import type { ComparedRun, ComparedTask, Comparison } from '../../domain/comparison.js';
import { alignColumns } from '../columns.js';
import { printable } from '../printable.js';
import { formatCost, formatElapsed } from './amounts.js';
import { section } from './section.js';
import { UNKNOWN } from './workspace-state.js';

/** `carrel eval compare` for people: the runs, each pair's verdict, and the tasks in which they differ. */
export function formatComparison(comparison: Comparison): string {
  const { runs, pairs, warnings } = comparison;
  return [
    alignColumns([RUN_HEADINGS, ...runs.map(formatRun)]).join('\n'),
    ...pairs.map(formatPair),
    ...section('Different', formatDifferent(comparison)),
    ...section('Mind', warnings.map(printable)),
  ].join('\n\n');
}

const RUN_HEADINGS = ['RUN', 'AGENT', 'ISOLATION', 'SOLVED', 'PASS RATE', '95%', 'COST', 'MEDIAN TIME'];

function formatRun(run: ComparedRun): string[] {
  const { passRateInterval: interval, medianAgentMs } = run;
  return [
    run.id,
    printable([run.agent, run.model].filter(Boolean).join(' ')),
    run.isolation,
    `${run.solved}/${run.tasks}`,
    percent(run.passRate),
    interval === null ? UNKNOWN : `${percent(interval.low)}-${percent(interval.high)}`,
    formatCost(run.costUsd) || UNKNOWN,
    medianAgentMs === null ? UNKNOWN : formatElapsed(medianAgentMs),
  ];
}

function formatPair(pair: Comparison['pairs'][number]): string {
  const { baseline, other, tasks, both, onlyBaseline, onlyOther, neither, pValue } = pair;
  const interval = pair.passRateDifferenceInterval;
  const range = interval === null ? '' : ` (95%: ${signed(interval.low)} to ${signed(interval.high)})`;
  return [
    `${other} against ${baseline}, ${tasks} tasks:`,
    `  both ${both}, only ${baseline} ${onlyBaseline}, only ${other} ${onlyOther}, neither ${neither}`,
    `  pass rate ${signed(pair.passRateDifference)}${range}`,
    `  McNemar p = ${pValue === null ? UNKNOWN : pValue.toFixed(3)}: ${judge(pValue)}`,
  ].join('\n');
}

const judge = (pValue: number | null): string =>
  pValue !== null && pValue < 0.05 ? 'more than chance' : 'this may be chance';

function formatDifferent({ runs, tasks }: Comparison): string[] {
  const rows = tasks.filter(isMixed).map(formatTask);
  return rows.length === 0 ? [] : alignColumns([['TASK', ...runs.map(({ id }) => id)], ...rows]);
}

const isMixed = ({ cells }: ComparedTask): boolean => new Set(cells.map(cell => cell?.solved)).size > 1;

const formatTask = ({ taskId, cells }: ComparedTask): string[] => [
  printable(taskId),
  ...cells.map(cell => (cell === null ? 'none' : cell.outcome)),
];

const percent = (rate: number | null): string => (rate === null ? UNKNOWN : `${(rate * 100).toFixed(1)}%`);

const signed = (rate: number | null): string =>
  rate === null ? UNKNOWN : `${rate >= 0 ? '+' : ''}${(rate * 100).toFixed(1)}%`;
