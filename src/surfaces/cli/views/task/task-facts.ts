import type { Failure } from '../../../../domain/task/failure.js';
import type { Task } from '../../../../domain/task/task.js';
import type { ValidationResult } from '../../../../domain/workflow/validation.js';
import { cleanLine } from '../../terminal/clean-line.js';
import type { Paint } from '../../terminal/output.js';
import { printable } from '../../terminal/printable.js';
import { formatElapsed, formatUsage } from '../format-amounts.js';
import { formatMark, formatTaskIsolation } from './task-marks.js';

/** A line of a page: `key  value`. */
export type Fact = readonly [key: string, value: string];

/** Where the work of a task is. */
export function workFacts(task: Task): Fact[] {
  const { branch, head, base, worktreePath, workspaceKept, landed, published } = task;
  const commit = head === null ? '' : ` at ${head.slice(0, 12)}${head === base ? ', nothing committed' : ''}`;
  return [
    ...(branch === null ? [] : ([['branch', `${branch}${commit}`]] as const)),
    ...(worktreePath === null || !workspaceKept ? [] : ([['workspace', worktreePath]] as const)),
    ...(landed ? ([['landed', `on ${landed.into} as ${landed.commit.slice(0, 12)}`]] as const) : []),
    ...(published ? ([['published', published.pullRequest ?? `to ${published.remote}`]] as const) : []),
  ];
}

/** The isolation mode, with the reason when it is not the requested one. */
export function isolationFact({ isolation }: Task): Fact {
  const mode = formatTaskIsolation(isolation);
  return ['isolation', isolation.reason === null ? mode : `${mode} (${isolation.reason})`];
}

/** Without the reason when a warning has it. */
export function briefIsolationFact(task: Task): Fact {
  const { isolation, warnings } = task;
  const { reason } = isolation;
  const isWarned = reason !== null && warnings.some(warning => warning.includes(reason));
  return isWarned ? ['isolation', formatTaskIsolation(isolation)] : isolationFact(task);
}

/** The fleet that runs it, and its host there. */
export function fleetFact({ fleet }: Task): Fact[] {
  if (!fleet) return [];
  const where = [fleet.run, fleet.host].filter(word => word !== null).join(' on ');
  return [['fleet', where === '' ? fleet.name : `${fleet.name} (${where})`]];
}

export function usageFact({ usage }: Task): Fact[] {
  const text = formatUsage(usage);
  return text === '' ? [] : [['usage', text]];
}

/** Each expectation, with the end of its output if it was not met. */
export function formatValidation(results: readonly ValidationResult[], paint: Paint): string[] {
  return results.flatMap(({ name, passed, detail, durationMs }) => [
    `${formatMark(passed ? 'succeeded' : 'failed', paint)} ${printable(name)} (${formatElapsed(durationMs)})`,
    ...(passed || detail === null ? [] : formatTail(detail)),
  ]);
}

/** The failure, the end of the output, and the hint. The output of a validation is shown with its result. */
export function formatFailure({ kind, message, hint, output }: Failure, paint: Paint): string[] {
  return [
    ...message.trimEnd().split('\n').map(cleanLine).map(paint.red),
    ...(output === null || kind === 'validation-failed' ? [] : formatTail(output)),
    `${paint.cyan('hint:')} ${printable(hint)}`,
  ];
}

const MOST_LINES = 20;

function formatTail(output: string): string[] {
  const lines = output.trimEnd().split('\n').map(cleanLine);
  const shown = lines.slice(-MOST_LINES);
  const left = lines.length - shown.length;
  return [...(left > 0 ? [`(${left} lines before)`] : []), ...shown].map(line => `  | ${line}`);
}
