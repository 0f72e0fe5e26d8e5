import { countOf } from '../../../../batch/report/count-of.js';
import type { ComparedRun, ComparedTask, Comparison } from '../../../../domain/batch/comparison.js';
import { alignColumns } from '../../terminal/columns.js';
import { cutToWidth } from '../../terminal/display-width.js';
import { printable } from '../../terminal/printable.js';
import { formatElapsed, formatSpending } from '../format-amounts.js';
import { UNKNOWN } from '../format-state.js';
import { section } from '../section.js';

/** `carrel eval compare` as text: the runs, the result of each pair, and the tasks in which they differ. */
export function formatComparison(comparison: Comparison): string {
  const { runs, pairs, warnings } = comparison;
  return [
    alignColumns([RUN_HEADINGS, ...runs.map(formatRun)]).join('\n'),
    ...pairs.map(formatPair),
    ...section('Different', formatDifferent(comparison)),
    ...section('Settings that differ', formatDifferences(comparison)),
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
    formatSpending(run) || UNKNOWN,
    medianAgentMs === null ? UNKNOWN : formatElapsed(medianAgentMs),
  ];
}

function formatPair(pair: Comparison['pairs'][number]): string {
  const { baseline, other, tasks, both, onlyBaseline, onlyOther, neither, pValue } = pair;
  const interval = pair.passRateDifferenceInterval;
  const range = interval === null ? '' : ` (95%: ${signed(interval.low)} to ${signed(interval.high)})`;
  return [
    `${other} against ${baseline}, ${countOf(tasks, 'task')}:`,
    `  both ${both}, only ${baseline} ${onlyBaseline}, only ${other} ${onlyOther}, neither ${neither}`,
    `  pass rate ${signed(pair.passRateDifference)}${range}`,
    `  McNemar p ${formatProbability(pValue)}: ${describeSignificance(pValue)}`,
  ].join('\n');
}

/** Never 0: a small probability is not zero. */
function formatProbability(pValue: number | null): string {
  if (pValue === null) return `= ${UNKNOWN}`;
  return pValue < 0.001 ? '<0.001' : `= ${pValue.toFixed(3)}`;
}

const describeSignificance = (pValue: number | null): string =>
  pValue !== null && pValue < 0.05 ? 'significant' : 'not significant';

function formatDifferent({ runs, tasks }: Comparison): string[] {
  const rows = tasks.filter(isMixed).map(formatTask);
  return rows.length === 0 ? [] : alignColumns([['TASK', ...runs.map(({ id }) => id)], ...rows]);
}

const SETTING_WIDTH = 40;

function formatDifferences({ runs, differences }: Comparison): string[] {
  const rows = differences.map(({ setting, values }) => [
    printable(setting.replace(/^environment\./, '')),
    ...values.map(value => (value === null ? UNKNOWN : cutToWidth(printable(value), SETTING_WIDTH))),
  ]);
  return rows.length === 0 ? [] : alignColumns([['SETTING', ...runs.map(({ id }) => id)], ...rows]);
}

const isMixed = ({ cells }: ComparedTask): boolean => new Set(cells.map(cell => cell?.solved)).size > 1;

const formatTask = ({ taskId, cells }: ComparedTask): string[] => [
  printable(taskId),
  ...cells.map(cell => (cell === null ? 'none' : cell.outcome)),
];

const percent = (rate: number | null): string => (rate === null ? UNKNOWN : `${(rate * 100).toFixed(1)}%`);

const signed = (rate: number | null): string =>
  rate === null ? UNKNOWN : `${rate >= 0 ? '+' : ''}${(rate * 100).toFixed(1)}%`;
