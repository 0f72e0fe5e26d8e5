import { createRequire } from 'node:module';
import { McpServer } from '@modelcontextprotocol/server';
import { addTool } from './add-tool.js';
import type { Connection } from './connection/agent-connection.js';
import { addTaskLogs } from './resources/task-log-resource.js';
import { addWorkspaceDiffs } from './resources/workspace-diff-resource.js';
import { addWorkspaces } from './resources/workspace-resource.js';
import { operationTools } from './tools/operation-tools.js';

/** The tools and resources of one connection. */
export function createServer(connection: Connection): McpServer {
  const server = new McpServer(
    { name: 'carrel', title: 'Carrel', version: ownVersion() },
    { instructions: INSTRUCTIONS, capabilities: { tools: {}, resources: { listChanged: true } } },
  );
  for (const tool of operationTools) addTool(server, connection, tool);
  addWorkspaces(server, connection);
  addWorkspaceDiffs(server, connection);
  addTaskLogs(server, connection);
  return server;
}

/** Sent to every agent that connects: how to use its workspace. */
const INSTRUCTIONS = `Carrel gives you your own workspace on this repository: a directory with all files, on a separate branch. Nothing you do there changes the user's checkout, and no work is lost.

How to work:
1. workspace_create makes a workspace. Work in the directory "path" of its answer, not in the user's checkout.
2. workspace_exec runs commands there. If the workspace has isolation "full", they run in a sandbox. Only workspace_exec does that: a command that you start in "path" in another way is not sandboxed.
3. Commit in the workspace as you go (workspace_exec with git). Before something risky, workspace_checkpoint saves everything, including uncommitted changes. workspace_restore restores a checkpoint as another workspace.
4. workspace_diff shows what changed against the base.
5. workspace_land lands the commits on the branch that the workspace started from. Ask the user first, unless the user already wants you to land.
6. workspace_remove removes a workspace. It refuses if work would be lost and says which: land it, or ask the user. Accept a loss only if the user agreed; a snapshot is kept even then.

task_run runs a task with other agents in a separate workspace. With detach it answers at once; task_status shows the progress, and task_cancel stops the task.

Workspaces are named by "name" or "id". Errors have a code, a message and a hint with the next step.`;

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('carrel/package.json') as { version: string };
  return version;
}
