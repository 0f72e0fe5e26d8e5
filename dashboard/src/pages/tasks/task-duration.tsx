import type { Task } from '../../../../src/domain/task/task.js';
import { formatDuration } from '../../components/text/amounts.js';
import { useNow } from '../../components/text/use-now.js';

/** The working time of all its runs. */
export function TaskDuration({ task }: { readonly task: Task }) {
  const now = useNow();
  const milliseconds = durationOf(task, now);
  return milliseconds === null ? '' : formatDuration(milliseconds);
}

/** Null before its first run. */
export function durationOf({ runs }: Task, now: number): number | null {
  if (runs.length === 0) return null;
  const lengths = runs.map(({ startedAt, endedAt }) => endOf(endedAt, now) - Date.parse(startedAt));
  return lengths.reduce((total, length) => total + Math.max(0, length), 0);
}

const endOf = (endedAt: string | null, now: number): number => (endedAt === null ? now : Date.parse(endedAt));
