import { z } from 'zod';
import { PathSchema, type ToolDefinition } from '../define-tool.js';
import { isProblem } from '../tool-access.js';
import { findFiles, NOT_ALL_FILES } from './searched-files.js';

const InputSchema = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('such as src/**/*.ts or *.{js,mjs}'),
  path: PathSchema.optional().describe('where to look (default: the working directory)'),
});

export const glob: ToolDefinition<z.infer<typeof InputSchema>> = {
  name: 'glob',
  description:
    'Lists the files whose paths match a pattern, sorted. A pattern without "/" matches the name, in any directory. ' +
    '.git is left out, and node_modules unless it is named.',
  input: InputSchema,
  run: async (context, { pattern, path = '.' }) => {
    const found = await findFiles(context, { path, pattern, withLinks: true });
    if (isProblem(found)) return found;
    const { matches } = context.limits;
    const left = found.files.length - matches;
    const lines = [
      ...found.files.slice(0, matches).map(({ shown }) => shown),
      ...(left > 0 ? [`[${left} more; use a narrower pattern]`] : []),
      ...(found.isWhole ? [] : [NOT_ALL_FILES]),
    ];
    return lines.join('\n') || 'no matching file';
  },
};
