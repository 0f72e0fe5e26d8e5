import { z } from 'zod';
import { PathSchema, type ToolDefinition } from './define-tool.js';
import { resolvePath } from './resolve-path.js';

const InputSchema = z.strictObject({
  path: PathSchema.describe('relative to the working directory, or absolute'),
  content: z.string().describe('all that the file is to hold'),
});

export const writeFile: ToolDefinition<z.infer<typeof InputSchema>> = {
  name: 'write_file',
  description:
    'Writes a file. Directories that are missing are made; what was in the file before is replaced.',
  input: InputSchema,
  run: async ({ hands }, { path, content }) => {
    const bytes = Buffer.from(content);
    const wrong = await hands.files.write(resolvePath(hands.workingDirectory, path), bytes);
    return wrong ? { problem: `${path}: ${wrong.problem}` } : `wrote ${bytes.length} bytes to ${path}`;
  },
};
