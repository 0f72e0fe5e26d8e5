import type { McpServer } from '@modelcontextprotocol/server';
import { listWorkspaces } from '../../operations/list.js';
import type { Desk } from '../desk.js';
import { readResource } from './read-resource.js';

const URI = 'carrel://workspaces';
const JSON_TYPE = 'application/json';

export function addWorkspaces(server: McpServer, desk: Desk): void {
  const config = {
    title: 'Workspaces',
    description: 'The workspaces of this repository, oldest first.',
    mimeType: JSON_TYPE,
  };
  server.registerResource('workspaces', URI, config, (uri, request) =>
    readResource(desk, uri, request, JSON_TYPE, async ({ context, directory }) =>
      JSON.stringify(await listWorkspaces(context, { repository: directory }), null, 2),
    ),
  );
}
