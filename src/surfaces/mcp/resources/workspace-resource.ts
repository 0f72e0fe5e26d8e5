import type { McpServer } from '@modelcontextprotocol/server';
import { listWorkspaces } from '../../../operations/workspace/list.js';
import type { Connection } from '../connection/agent-connection.js';
import { readResource } from './read-resource.js';

const URI = 'carrel://workspaces';
const JSON_TYPE = 'application/json';

export function addWorkspaces(server: McpServer, connection: Connection): void {
  const config = {
    title: 'Workspaces',
    description: 'The workspaces of this repository, oldest first.',
    mimeType: JSON_TYPE,
  };
  server.registerResource('workspaces', URI, config, (uri, request) =>
    readResource(connection, uri, request, JSON_TYPE, async ({ context, directory }) =>
      JSON.stringify(await listWorkspaces(context, { repository: directory }), null, 2),
    ),
  );
}
