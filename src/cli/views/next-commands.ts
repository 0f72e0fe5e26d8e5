import type { Task } from '../../domain/task.js';
import { isActive } from '../../domain/task-state.js';
import { alignColumns } from '../columns.js';
import { printable } from '../printable.js';

/** What to type next, by how far a task is, each with what it does. */
export function formatNextCommands(task: Task): string[] {
  return alignColumns(nextCommands(task).map(([command, purpose]) => [printable(command), purpose]));
}

type Next = readonly [command: string, purpose: string];

function nextCommands(task: Task): Next[] {
  const { id, status } = task;
  if (isActive(status))
    return [
      [`carrel task logs ${id} --follow`, 'see what it does'],
      [`carrel task cancel ${id}`, 'end it; its work is kept'],
    ];
  if (status === 'succeeded') return afterSuccess(task);
  const hasBegun = task.stages.some(stage => stage.attempts > 0);
  return [
    ...(hasBegun && status === 'failed' ? [[`carrel task logs ${id}`, 'read what it did'] as const] : []),
    ...(hasBegun ? look(task) : []),
    [`carrel task retry ${id}`, 'go on from the last stage that succeeded'],
  ];
}

/** What is landed needs no further look. */
function afterSuccess(task: Task): Next[] {
  const { id, landed, published, head, base } = task;
  if (landed || head === base) return task.workspaceKept ? [removal(task)] : [];
  return [
    ...look(task),
    [`carrel land ${id}`, 'bring it to the branch it was made from'],
    ...(published ? [] : [[`carrel task publish ${id} --pull-request`, 'or have it reviewed'] as const]),
  ];
}

/** In the workspace while it is there, and by its branch after that. */
function look({ workspaceKept, workspaceName, branch, base }: Task): Next[] {
  if (workspaceKept && workspaceName !== null) return [[`carrel diff ${workspaceName}`, 'see what changed']];
  if (branch === null || base === null) return [];
  return [[`git diff ${base.slice(0, 12)}...${branch}`, 'see what changed']];
}

const removal = ({ workspaceName }: Task): Next => [`carrel down ${workspaceName}`, 'remove its workspace'];
