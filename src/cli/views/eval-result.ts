import type { BatchRun } from '../../domain/batch-run.js';
import { alignColumns } from '../columns.js';
import { cutToWidth } from '../display-width.js';
import type { Paint } from '../output.js';
import { printable } from '../printable.js';
import { formatElapsed, formatSpending } from './amounts.js';
import { formatAttemptTable } from './eval-attempt.js';
import { section } from './section.js';

/** What came of a batch: a line for each attempt, the rates, where to look, what to do next. */
export function formatRunResult(run: BatchRun, report: string | undefined, paint: Paint): string {
  const { id, status, agent, dataset, isolation } = run;
  return [
    listAttempts(run, paint).join('\n'),
    [
      `${paint.bold(id)} ${status}: ${cutToWidth(printable(agent), AGENT_WIDTH)} on ${printable(dataset)}, isolation ${isolation}`,
      ...formatRates(run),
    ].join('\n'),
    ...section('Findings', listFindings(run)),
    ...section('Where to look', [
      `results  ${run.directory}`,
      ...(report === undefined ? [] : [`report   ${report}`]),
    ]),
    ...section('Next', alignColumns(nextCommands(run))),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** A command may be as long as one likes. */
const AGENT_WIDTH = 40;

/** Of a large run those that did not pass: they are what one looks for. */
const MOST_LINES = 60;

function listAttempts({ id, attempts }: BatchRun, paint: Paint): string[] {
  const red = attempts.filter(({ outcome }) => outcome !== 'passed');
  const listed = (attempts.length <= MOST_LINES ? attempts : red).slice(0, MOST_LINES);
  const rest = attempts.length - listed.length;
  const others = `… ${rest} more: carrel eval export ${id} --format csv`;
  return [...formatAttemptTable(listed, paint), ...(rest > 0 ? [paint.dim(others)] : [])];
}

function formatRates(run: BatchRun): string[] {
  const { totals, passRate, passRateOfAll, passAtK, durationMs, attemptsPerTask } = run;
  const asked = run.taskIds.length * attemptsPerTask;
  const judged = totals.passed + totals.failed;
  return [
    judged === asked
      ? `passed ${totals.passed} of ${asked} (${percent(passRate)})`
      : `passed ${totals.passed} of ${judged} judged (${percent(passRate)}), of ${asked} asked for (${percent(passRateOfAll)})`,
    ...(totals.errors > 0 ? [`${totals.errors} could not be judged`] : []),
    ...(totals.cancelled > 0 ? [`${totals.cancelled} cancelled`] : []),
    ...(attemptsPerTask > 1
      ? [
          Object.entries(passAtK)
            .map(([k, rate]) => `pass@${k} ${percent(rate)}`)
            .join(', '),
        ]
      : []),
    [formatElapsed(durationMs), formatSpending(run)].filter(Boolean).join(', '),
  ];
}

const percent = (rate: number | null): string => (rate === null ? 'none' : `${(rate * 100).toFixed(1)}%`);

const listFindings = ({ attempts }: BatchRun): string[] =>
  attempts.flatMap(({ taskId, attempt, findings }) =>
    findings.map(
      finding => `${printable(taskId)} #${attempt}: ${printable(finding.split('\n', 1)[0] ?? '')}`,
    ),
  );

function nextCommands({ id, status, attempts }: BatchRun): string[][] {
  const red = attempts.find(({ outcome }) => outcome !== 'passed');
  return [
    ...(status === 'finished' ? [] : [[`carrel eval resume ${id}`, 'do what is left of it']]),
    ...(red ? [[`carrel eval show ${id} --task ${red.taskId}`, 'see why it did not pass']] : []),
    [`carrel eval export ${id} --format junit`, 'for CI; also csv, jsonl, predictions, html'],
    [`carrel eval compare ${id} RUN`, 'against another run'],
  ];
}
