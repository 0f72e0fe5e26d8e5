import type { Task } from '../../domain/task.js';
import { alignColumns } from '../columns.js';
import type { Paint } from '../output.js';
import { printable } from '../printable.js';
import { formatElapsed } from './amounts.js';
import { formatNextCommands } from './next-commands.js';
import { section } from './section.js';
import { formatFailure, formatValidation, isolationFact, usageFact, workFacts } from './task-facts.js';
import { formatMark, workTime } from './task-state.js';

/** The answer of `carrel run`: how the task went, where the work is, and what to do with it. */
export function formatTaskResult(task: Task, paint: Paint, now: number): string {
  const { id, status, isolation, validation, failure, warnings } = task;
  const facts = [
    ...workFacts(task),
    ...(isolation.reason === null ? [] : [isolationFact(task)]),
    ...usageFact(task),
  ].map(([key, value]) => [key, printable(value)]);
  const closing = `${formatMark(status, paint)} ${id} ${status} after ${formatElapsed(workTime(task, now))}`;
  return [
    [closing, ...alignColumns(facts).map(line => `  ${line}`)].join('\n'),
    ...section('Validation', formatValidation(validation, paint)),
    ...section('Failure', failure ? formatFailure(failure, paint) : []),
    ...section('Warnings', warnings.map(printable)),
    ...section('Next', formatNextCommands(task)),
  ].join('\n\n');
}
