import type { BatchRun } from '../../../../domain/batch/batch-run.js';
import { alignColumns } from '../../terminal/columns.js';
import { cutToWidth } from '../../terminal/display-width.js';
import type { Paint } from '../../terminal/output.js';
import { printable } from '../../terminal/printable.js';
import { formatElapsed, formatSpending } from '../format-amounts.js';
import { section } from '../section.js';
import { formatAttemptTable } from './eval-attempt.js';

/** The result of a batch: a line for each attempt, the rates, the files and the next commands. */
export function formatRunResult(run: BatchRun, report: string | undefined, paint: Paint): string {
  const { id, status, agent, dataset, isolation } = run;
  return [
    listAttempts(run, paint).join('\n'),
    [
      `${paint.bold(id)} ${status}: ${cutToWidth(printable(agent), AGENT_WIDTH)} on ${printable(dataset)}, isolation ${isolation}`,
      ...formatRates(run),
    ].join('\n'),
    ...section('Findings', listFindings(run)),
    ...section('Files', [
      `results  ${run.directory}`,
      ...(report === undefined ? [] : [`report   ${report}`]),
    ]),
    ...section('Next', alignColumns(nextCommands(run))),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** A command may be very long. */
const AGENT_WIDTH = 40;

/** For a large run, only the attempts that did not pass. */
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
  const graded = totals.passed + totals.failed;
  return [
    graded === asked
      ? `passed ${totals.passed} of ${asked} (${percent(passRate)})`
      : `passed ${totals.passed} of ${graded} graded (${percent(passRate)}), ${asked} requested (${percent(passRateOfAll)})`,
    ...(totals.errors > 0 ? [`${totals.errors} could not be graded`] : []),
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
    ...(status === 'finished' ? [] : [[`carrel eval resume ${id}`, 'run the remaining attempts']]),
    ...(red ? [[`carrel eval show ${id} --task ${red.taskId}`, 'see why it failed']] : []),
    [`carrel eval export ${id} --format junit`, 'for CI; also csv, jsonl, predictions, html'],
    [`carrel eval compare ${id} RUN`, 'compare with another run'],
  ];
}
