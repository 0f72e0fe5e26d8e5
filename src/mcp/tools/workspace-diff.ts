import { z } from 'zod';
import { requireOwnWorkspace } from '../own.js';
import { readPatch } from '../read-patch.js';
import { diffUri } from '../resources/workspace-diffs.js';
import { defineTool } from '../tool.js';
import { workspaceWord } from '../words.js';

export const workspaceDiff = defineTool({
  name: 'workspace_diff',
  title: 'Show what changed in a workspace',
  description:
    'Shows everything that a workspace changes against its base, committed or not: as a patch that git apply takes, as a summary, or as the names of files. A long one is cut at the end of a line; the resource that the answer links to has all of it.',
  input: z.object({
    workspace: workspaceWord,
    format: z.enum(['patch', 'stat', 'name-only']).default('patch'),
    maxBytes: z.int().min(100).max(1_000_000).default(50_000),
  }),
  output: z.object({
    diff: z.string(),
    bytes: z.int().describe('of the whole'),
    truncated: z.boolean(),
    skipped: z.array(z.string()).describe('files that can not be in a patch'),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: async ({ workspace, format, maxBytes }, call) => {
    const { id, name } = await requireOwnWorkspace(call, workspace);
    const query = { repository: call.directory, name: id, format };
    const { text, bytes, isLimited, skipped } = await readPatch(call.context, query, maxBytes);
    const note = isLimited
      ? `\n[${Buffer.byteLength(text)} of ${bytes} bytes; the linked resource has all]\n`
      : '';
    return {
      value: { diff: text, bytes, truncated: isLimited, skipped: [...skipped] },
      text: bytes === 0 ? 'nothing has changed' : text + note,
      link: isLimited ? { uri: diffUri(id), name: `diff of ${name}`, mimeType: 'text/x-diff' } : undefined,
    };
  },
});
