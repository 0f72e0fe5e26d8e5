import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { listRecords } from '../../../operations/workspace/find-workspace.js';
import type { Connection } from '../connection/agent-connection.js';
import { requireOwnWorkspace } from '../connection/require-own.js';
import { readPatch } from '../read-patch.js';
import { listResources, MOST_BYTES, readResource } from './read-resource.js';

const PATCH_TYPE = 'text/x-diff';

export const diffUri = (id: string): string => `carrel://workspaces/${id}/diff`;

export function addWorkspaceDiffs(server: McpServer, connection: Connection): void {
  const template = new ResourceTemplate(diffUri('{id}'), {
    list: request =>
      listResources(connection, request, async ({ context, directory }) => {
        const records = await listRecords(context, { repository: directory });
        return records
          .filter(({ status }) => status === 'ready')
          .map(({ id, name }) => ({ uri: diffUri(id), name: `diff of ${name}`, mimeType: PATCH_TYPE }));
      }),
  });
  const config = {
    title: 'Diff of a workspace',
    description: 'All changes of a workspace against its base, as a patch for git apply.',
    mimeType: PATCH_TYPE,
  };
  server.registerResource('workspace-diff', template, config, (uri, { id }, request) =>
    readResource(connection, uri, request, PATCH_TYPE, async reading => {
      const { context, directory: repository } = reading;
      const record = await requireOwnWorkspace(reading, String(id));
      const query = { repository, name: record.id, format: 'patch' } as const;
      const { text, bytes, isLimited } = await readPatch(context, query, MOST_BYTES);
      return isLimited
        ? `${text}[cut off; print all ${bytes} bytes with: carrel diff ${record.name}]\n`
        : text;
    }),
  );
}
