import { createRequire } from 'node:module';
import { McpServer } from '@modelcontextprotocol/server';
import { addTool } from './add-tool.js';
import type { Connection } from './connection/agent-connection.js';
import { INSTRUCTIONS } from './instructions.js';
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

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('carrel/package.json') as { version: string };
  return version;
}
