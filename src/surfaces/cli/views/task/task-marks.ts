import type { Stage, Task } from '../../../../domain/task/task.js';
import { isActive } from '../../../../domain/task/task-state.js';
import type { Paint } from '../../terminal/output.js';

/** The mark before a stage, a task or a result of a validation. */
export function formatMark(status: Task['status'] | Stage['status'], paint: Paint): string {
  switch (status) {
    case 'succeeded':
      return paint.green('✓');
    case 'failed':
      return paint.red('✗');
    case 'running':
    case 'validating':
      return paint.cyan('▸');
    case 'cancelled':
      return paint.yellow('■');
    case 'waiting-for-approval':
      return paint.yellow('?');
    case 'interrupted':
      return paint.yellow('!');
    case 'waiting':
    case 'pending':
      return paint.dim('·');
  }
}

/** Milliseconds that a stage took so far; undefined before it starts. */
export function stageTime({ startedAt, endedAt }: Stage, now: number): number | undefined {
  if (startedAt === null) return undefined;
  return (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt);
}

/** Milliseconds of all runs of a task. */
export function workTime({ runs }: Task, now: number): number {
  return runs.reduce(
    (sum, { startedAt, endedAt }) =>
      sum + (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt),
    0,
  );
}

/** `2/3`: the number of successful stages, including the current one. */
export function formatPosition({ stages, status }: Task): string {
  const done = stages.filter(stage => stage.status === 'succeeded').length;
  const current = isActive(status) && stages.some(stage => stage.status === 'running') ? 1 : 0;
  return `${Math.min(done + current, stages.length)}/${stages.length}`;
}

/** `full`, `full→worktree`, or the requested mode before there is a workspace. */
export function formatTaskIsolation({ requested, effective }: Task['isolation']): string {
  return effective === null || effective === requested ? requested : `${requested}→${effective}`;
}

/** The first line of a text. */
export const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';
