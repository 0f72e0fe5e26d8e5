import { z } from 'zod';
import type { DiffReport } from '../../../domain/report/diff-report.js';
import { requireOwnWorkspace } from '../connection/require-own.js';
import { readPatch } from '../read-patch.js';
import { diffUri } from '../resources/workspace-diff-resource.js';
import { defineOwnTool } from './own-tool.js';

interface DiffInput {
  readonly workspace: string;
  readonly format?: DiffReport['format'];
  readonly maxBytes: number;
}

/** Limited to `maxBytes`, with a link to the whole diff. */
export const answerDiff = defineOwnTool({
  output: z.object({
    diff: z.string(),
    bytes: z.int().describe('size of the whole diff'),
    truncated: z.boolean(),
    skipped: z.array(z.string()).describe('files that cannot be in a patch'),
  }),
  run: async ({ workspace, format = 'patch', maxBytes }: DiffInput, call) => {
    const { id, name } = await requireOwnWorkspace(call, workspace);
    const query = { repository: call.directory, name: id, format };
    const { text, bytes, isLimited, skipped } = await readPatch(call.context, query, maxBytes);
    const note = isLimited
      ? `\n[${Buffer.byteLength(text)} of ${bytes} bytes; the linked resource has all]\n`
      : '';
    return {
      value: { diff: text, bytes, truncated: isLimited, skipped: [...skipped] },
      text: bytes === 0 ? 'no changes' : text + note,
      link: isLimited ? { uri: diffUri(id), name: `diff of ${name}`, mimeType: 'text/x-diff' } : undefined,
    };
  },
});
