import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { listRecords } from '../../operations/find.js';
import type { Desk } from '../desk.js';
import { requireOwnWorkspace } from '../own.js';
import { readPatch } from '../read-patch.js';
import { listResources, MOST_BYTES, readResource } from './read-resource.js';

const PATCH_TYPE = 'text/x-diff';

export const diffUri = (id: string): string => `carrel://workspaces/${id}/diff`;

export function addWorkspaceDiffs(server: McpServer, desk: Desk): void {
  const template = new ResourceTemplate(diffUri('{id}'), {
    list: request =>
      listResources(desk, request, async ({ context, directory }) => {
        const records = await listRecords(context, { repository: directory });
        return records
          .filter(({ status }) => status === 'ready')
          .map(({ id, name }) => ({ uri: diffUri(id), name: `diff of ${name}`, mimeType: PATCH_TYPE }));
      }),
  });
  const config = {
    title: 'Diff of a workspace',
    description: 'Everything that a workspace changes against its base, as a patch that git apply takes.',
    mimeType: PATCH_TYPE,
  };
  server.registerResource('workspace-diff', template, config, (uri, { id }, request) =>
    readResource(desk, uri, request, PATCH_TYPE, async reading => {
      const { context, directory: repository } = reading;
      const record = await requireOwnWorkspace(reading, String(id));
      const query = { repository, name: record.id, format: 'patch' } as const;
      const { text, bytes, isLimited } = await readPatch(context, query, MOST_BYTES);
      return isLimited ? `${text}[cut off: ${bytes} bytes; carrel diff ${record.name} prints all]\n` : text;
    }),
  );
}
