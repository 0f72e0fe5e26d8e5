import { createRequire } from 'node:module';
import { McpServer } from '@modelcontextprotocol/server';
import { addTool } from './add-tool.js';
import type { Desk } from './desk.js';
import { INSTRUCTIONS } from './instructions.js';
import { addTaskLogs } from './resources/task-logs.js';
import { addWorkspaceDiffs } from './resources/workspace-diffs.js';
import { addWorkspaces } from './resources/workspaces.js';
import { taskCancel } from './tools/task-cancel.js';
import { taskRun } from './tools/task-run.js';
import { taskStatus } from './tools/task-status.js';
import { workspaceCheckpoint } from './tools/workspace-checkpoint.js';
import { workspaceCreate } from './tools/workspace-create.js';
import { workspaceDiff } from './tools/workspace-diff.js';
import { workspaceExec } from './tools/workspace-exec.js';
import { workspaceLand } from './tools/workspace-land.js';
import { workspaceList } from './tools/workspace-list.js';
import { workspaceRemove } from './tools/workspace-remove.js';
import { workspaceRestore } from './tools/workspace-restore.js';
import { workspaceShow } from './tools/workspace-show.js';

/** All that one connection can ask for. */
export function createServer(desk: Desk): McpServer {
  const server = new McpServer(
    { name: 'carrel', title: 'Carrel', version: ownVersion() },
    { instructions: INSTRUCTIONS, capabilities: { tools: {}, resources: { listChanged: true } } },
  );
  addTool(server, desk, workspaceCreate);
  addTool(server, desk, workspaceList);
  addTool(server, desk, workspaceShow);
  addTool(server, desk, workspaceExec);
  addTool(server, desk, workspaceDiff);
  addTool(server, desk, workspaceCheckpoint);
  addTool(server, desk, workspaceRestore);
  addTool(server, desk, workspaceLand);
  addTool(server, desk, workspaceRemove);
  addTool(server, desk, taskRun);
  addTool(server, desk, taskStatus);
  addTool(server, desk, taskCancel);
  addWorkspaces(server, desk);
  addWorkspaceDiffs(server, desk);
  addTaskLogs(server, desk);
  return server;
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('carrel/package.json') as { version: string };
  return version;
}
