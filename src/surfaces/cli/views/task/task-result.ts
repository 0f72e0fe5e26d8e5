import type { Task } from '../../../../domain/task/task.js';
import { alignColumns } from '../../terminal/columns.js';
import type { Paint } from '../../terminal/output.js';
import { printable } from '../../terminal/printable.js';
import { formatElapsed } from '../format-amounts.js';
import { section } from '../section.js';
import { formatNextCommands } from './next-commands.js';
import { briefIsolationFact, formatFailure, formatValidation, usageFact, workFacts } from './task-facts.js';
import { formatMark, workTime } from './task-marks.js';

/**
 * The answer of `carrel run`: the status of the task, where the work is, and the next commands. Warnings in `printed`
 * are left out.
 */
export function formatTaskResult(
  task: Task,
  paint: Paint,
  now: number,
  printed: ReadonlySet<string> = new Set(),
): string {
  const { id, status, isolation, validation, failure, warnings } = task;
  const facts = [
    ...workFacts(task),
    ...(isolation.reason === null ? [] : [briefIsolationFact(task)]),
    ...usageFact(task),
  ].map(([key, value]) => [key, printable(value)]);
  const closing = `${formatMark(status, paint)} ${id} ${status} after ${formatElapsed(workTime(task, now))}`;
  return [
    [closing, ...alignColumns(facts).map(line => `  ${line}`)].join('\n'),
    ...section('Validation', formatValidation(validation, paint)),
    ...section('Failure', failure ? formatFailure(failure, paint) : []),
    ...section('Warnings', warnings.filter(warning => !printed.has(warning)).map(printable)),
    ...section('Next', formatNextCommands(task)),
  ].join('\n\n');
}
