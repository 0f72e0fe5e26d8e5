import type { OwnTool } from './own-tool.js';
import { taskRun } from './task-run-tool.js';
import { taskStatus } from './task-status-tool.js';
import { answerDiff } from './workspace-diff-tool.js';
import { answerExec } from './workspace-exec-tool.js';
import { answerRemove } from './workspace-remove-tool.js';
import { answerReset } from './workspace-reset-tool.js';
import { answerShow } from './workspace-show-tool.js';

/** The tools that declare `by: 'its tool'`, with what answers them. */
export const ownTools: Readonly<Record<string, OwnTool>> = {
  task_run: taskRun,
  task_status: taskStatus,
  workspace_diff: answerDiff,
  workspace_exec: answerExec,
  workspace_remove: answerRemove,
  workspace_reset: answerReset,
  workspace_show: answerShow,
};
