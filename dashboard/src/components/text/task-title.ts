import type { Task } from '../../../../src/domain/task/task.js';
import { visibleText } from './visible-text.js';

const LONGEST_TITLE = 120;

/** A description may be a page long: its first line names the task. */
export function taskTitle({ description }: Pick<Task, 'description'>): string {
  const [first = ''] = description.trim().split('\n');
  return visibleText(first.length <= LONGEST_TITLE ? first : `${first.slice(0, LONGEST_TITLE)}…`);
}
