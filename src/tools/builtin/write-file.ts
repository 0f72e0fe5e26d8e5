import { z } from 'zod';
import { PathSchema, type ToolDefinition } from '../define-tool.js';
import { resolvePath } from '../resolve-path.js';

const InputSchema = z.strictObject({
  path: PathSchema.describe('relative to the working directory, or absolute'),
  content: z.string().describe('the whole content of the file'),
});

export const writeFile: ToolDefinition<z.infer<typeof InputSchema>> = {
  name: 'write_file',
  description: 'Writes a file. Missing directories are created; existing content is replaced.',
  input: InputSchema,
  run: async ({ environment }, { path, content }) => {
    const bytes = Buffer.from(content);
    const wrong = await environment.files.write(resolvePath(environment.workingDirectory, path), bytes);
    return wrong ? { problem: `${path}: ${wrong.problem}` } : `wrote ${bytes.length} bytes to ${path}`;
  },
};
