import { z } from 'zod';
import { PathSchema, type ToolContext, type ToolDefinition } from '../define-tool.js';
import { isProblem, type Problem } from '../tool-access.js';
import { decodeText } from './decode-text.js';
import { createLineSearch, type LineSearch } from './search-lines.js';
import { findFiles, NOT_ALL_FILES, type SearchedFile, type SearchedFiles } from './searched-files.js';

const InputSchema = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('a JavaScript regular expression, matched line by line'),
  path: PathSchema.optional().describe('a directory or a file (default: the working directory)'),
  glob: z.string().min(1).max(1000).optional().describe('only files that match it, such as *.ts'),
  ignore_case: z.boolean().optional(),
});

export const grep: ToolDefinition<z.infer<typeof InputSchema>> = {
  name: 'grep',
  description:
    'Lists the lines that match a regular expression, as PATH:LINE:TEXT. ' +
    'Binary files and .git are left out, and node_modules unless it is named.',
  input: InputSchema,
  run: async (context, { pattern, path = '.', glob, ignore_case }) => {
    const expression = parseExpression(pattern, ignore_case ? 'i' : '');
    if (isProblem(expression)) return expression;
    const found = await findFiles(context, { path, pattern: glob, withLinks: false });
    if (isProblem(found)) return found;
    const { limits, signal } = context;
    const search = createLineSearch(expression, { limitMs: limits.searchMs, signal });
    try {
      return await searchFiles(context, search, found);
    } finally {
      await search.close();
    }
  },
};

function parseExpression(pattern: string, flags: string): RegExp | Problem {
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    return { problem: String((error as Error).message) };
  }
}

async function searchFiles(
  context: ToolContext,
  search: LineSearch,
  { files, isWhole }: SearchedFiles,
): Promise<string> {
  const { matches } = context.limits;
  const lines: string[] = [];
  const notes = isWhole ? [] : [NOT_ALL_FILES];
  for (const file of files) {
    const found = await searchFile(context, search, file, matches + 1 - lines.length);
    if (found === 'gave-up')
      notes.push('[the time limit was reached; narrow the search or simplify the expression]');
    else lines.push(...found);
    if (found === 'gave-up' || lines.length > matches) break;
  }
  if (lines.length > matches) notes.push(`[more than ${matches} lines; narrow the search]`);
  return [...cutText(lines.slice(0, matches), context.limits.outputBytes), ...notes].join('\n') || 'no match';
}

async function searchFile(
  { environment, limits }: ToolContext,
  search: LineSearch,
  { path, shown }: SearchedFile,
  most: number,
): Promise<string[] | 'gave-up'> {
  const content = await environment.files.read(path, limits.fileBytes);
  // A file that is too large, or was deleted meanwhile.
  const text = isProblem(content) ? undefined : decodeText(content);
  if (text === undefined) return [];
  const found = await search.search(text, most);
  return found === 'gave-up' ? found : found.map(each => `${shown}:${each.line}:${each.text}`);
}

function cutText(lines: readonly string[], bytes: number): string[] {
  let room = bytes;
  const kept = lines.filter(line => {
    room -= Buffer.byteLength(line) + 1;
    return room >= 0;
  });
  const left = lines.length - kept.length;
  return left > 0 ? [...kept, `[${left} more lines; narrow the search]`] : kept;
}
