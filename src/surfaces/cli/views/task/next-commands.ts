import type { Task } from '../../../../domain/task/task.js';
import { isActive } from '../../../../domain/task/task-state.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';

/** The next commands for the status of a task, each with a description. */
export function formatNextCommands(task: Task): string[] {
  return alignColumns(nextCommands(task).map(([command, purpose]) => [printable(command), purpose]));
}

type Next = readonly [command: string, purpose: string];

function nextCommands(task: Task): Next[] {
  const { id, status } = task;
  if (isActive(status))
    return [
      [`carrel task logs ${id} --follow`, 'watch it'],
      [`carrel task cancel ${id}`, 'stop it and keep its work'],
    ];
  if (status === 'waiting-for-approval')
    return [
      ...look(task),
      [`carrel task approve ${id}`, 'continue'],
      [`carrel task reject ${id} --retry -m TEXT`, 'run the stage again, with your text for the agent'],
      [`carrel task reject ${id} -m TEXT`, 'or fail the task'],
    ];
  if (status === 'succeeded') return afterSuccess(task);
  const hasBegun = task.stages.some(stage => stage.attempts > 0);
  return [
    ...(hasBegun && status === 'failed' ? [[`carrel task logs ${id}`, 'read its log'] as const] : []),
    ...(hasBegun ? look(task) : []),
    [`carrel task retry ${id}`, 'resume after the last successful stage'],
  ];
}

/** Landed work needs no further commands. */
function afterSuccess(task: Task): Next[] {
  const { id, landed, published, head, base } = task;
  if (landed || head === base) return task.workspaceKept ? [removal(task)] : [];
  return [
    ...look(task),
    [`carrel land ${id}`, 'land it on the branch it started from'],
    ...(published ? [] : [[`carrel task publish ${id} --pull-request`, 'or open a pull request'] as const]),
  ];
}

/** In the workspace while it exists, and by its branch after that. */
function look({ workspaceKept, workspaceName, branch, base }: Task): Next[] {
  if (workspaceKept && workspaceName !== null) return [[`carrel diff ${workspaceName}`, 'see what changed']];
  if (branch === null || base === null) return [];
  return [[`git diff ${base.slice(0, 12)}...${branch}`, 'see what changed']];
}

const removal = ({ workspaceName }: Task): Next => [`carrel down ${workspaceName}`, 'remove its workspace'];
