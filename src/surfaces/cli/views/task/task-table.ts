import type { Task } from '../../../../domain/task/task.js';
import { alignColumns } from '../../terminal/columns.js';
import { cutToWidth } from '../../terminal/display-width.js';
import { printable } from '../../terminal/printable.js';
import { formatAgo } from '../ago.js';
import { formatCost } from '../format-amounts.js';
import { UNKNOWN } from '../format-state.js';
import { firstLine, formatPosition } from './task-marks.js';

const HEADINGS = ['ID', 'STATUS', 'WORKFLOW', 'STAGE', 'CREATED', 'COST', 'DESCRIPTION'];
const DESCRIPTION_WIDTH = 60;

/** `carrel task ls` as text: one line per task, with the repository if there are several. */
export function formatTaskTable(tasks: readonly Task[], now: number): string {
  const isMixed = new Set(tasks.map(task => task.repository)).size > 1;
  const rows = tasks.map(task => [...formatRow(task, now), ...(isMixed ? [printable(task.repository)] : [])]);
  return alignColumns([isMixed ? [...HEADINGS, 'REPOSITORY'] : HEADINGS, ...rows]).join('\n');
}

function formatRow(task: Task, now: number): string[] {
  return [
    task.id,
    task.status,
    printable(task.workflow),
    formatPosition(task),
    formatAgo(task.createdAt, now),
    formatCost(task.usage.costUsd) || UNKNOWN,
    cutToWidth(printable(firstLine(task.description)), DESCRIPTION_WIDTH),
  ];
}
