import { z } from 'zod';
import { decodeText } from './decode-text.js';
import { PathSchema, type ToolDefinition } from './define-tool.js';
import { resolvePath } from './resolve-path.js';
import { isProblem } from './tool-hands.js';

const InputSchema = z.strictObject({
  path: PathSchema.describe('relative to the working directory, or absolute'),
  offset: z.int().positive().optional().describe('the first line to give, from 1 on'),
  limit: z.int().positive().optional().describe('how many lines to give'),
});

export const readFile: ToolDefinition<z.infer<typeof InputSchema>> = {
  name: 'read_file',
  description:
    'Gives the text of a file, or some of its lines. When not all was given, the last line says where to go on.',
  input: InputSchema,
  run: async ({ hands, limits }, { path, offset = 1, limit }) => {
    const content = await hands.files.read(resolvePath(hands.workingDirectory, path), limits.fileBytes);
    if (isProblem(content)) return { problem: `${path}: ${content.problem}` };
    const text = decodeText(content);
    if (text === undefined) return { problem: `${path}: it is not text` };
    return cutLines(text, { offset, limit: limit ?? Number.POSITIVE_INFINITY, bytes: limits.outputBytes });
  },
};

/** Whole lines, and of a line that is too long by itself the beginning. */
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
  const next = last < lines.length ? `; go on with offset ${last + 1}` : '';
  return `${given.join('').trimEnd()}\n[lines ${offset} to ${last} of ${lines.length}${next}]`;
}
