import { z } from 'zod';
import { PathSchema, type ToolDefinition } from '../define-tool.js';
import { resolvePath } from '../resolve-path.js';
import { isProblem } from '../tool-access.js';
import { decodeText } from './decode-text.js';

const InputSchema = z.strictObject({
  path: PathSchema.describe('relative to the working directory, or absolute'),
  offset: z.int().positive().optional().describe('the first line to return, counted from 1'),
  limit: z.int().positive().optional().describe('how many lines to return'),
});

export const readFile: ToolDefinition<z.infer<typeof InputSchema>> = {
  name: 'read_file',
  description:
    'Returns the text of a file, or some of its lines. If there is more, the last line gives the next offset.',
  input: InputSchema,
  run: async ({ environment, limits }, { path, offset = 1, limit }) => {
    const content = await environment.files.read(
      resolvePath(environment.workingDirectory, path),
      limits.fileBytes,
    );
    if (isProblem(content)) return { problem: `${path}: ${content.problem}` };
    const text = decodeText(content);
    if (text === undefined) return { problem: `${path}: it is not text` };
    return cutLines(text, { offset, limit: limit ?? Number.POSITIVE_INFINITY, bytes: limits.outputBytes });
  },
};

/** Whole lines, or the start of a line that is too long. */
function cutLines(text: string, { offset, limit, bytes }: { offset: number; limit: number; bytes: number }) {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (offset > 1 && offset > lines.length)
    return { problem: `it has ${lines.length} lines; there is no line ${offset}` };
  const given: string[] = [];
  let room = bytes;
  for (const line of lines.slice(offset - 1)) {
    room -= Buffer.byteLength(line);
    if (given.length >= limit || (room < 0 && given.length > 0)) break;
    given.push(line.slice(0, bytes));
  }
  const last = offset - 1 + given.length;
  const isWhole = last >= lines.length && room >= 0;
  if (isWhole) return given.join('');
  const next = last < lines.length ? `; continue with offset ${last + 1}` : '';
  return `${given.join('').trimEnd()}\n[lines ${offset} to ${last} of ${lines.length}${next}]`;
}
