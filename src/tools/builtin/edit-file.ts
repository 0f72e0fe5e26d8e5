import { z } from 'zod';
import { PathSchema, type ToolDefinition } from '../define-tool.js';
import { resolvePath } from '../resolve-path.js';
import { isProblem } from '../tool-access.js';
import { decodeText } from './decode-text.js';

const InputSchema = z.strictObject({
  path: PathSchema.describe('relative to the working directory, or absolute'),
  old_text: z.string().min(1).describe('text that is in the file exactly once, including whitespace'),
  new_text: z.string().describe('the replacement text'),
});

export const editFile: ToolDefinition<z.infer<typeof InputSchema>> = {
  name: 'edit_file',
  description:
    'Replaces a piece of text in a file. The old text must be in the file exactly once: include surrounding lines to make it unique.',
  input: InputSchema,
  run: async ({ environment, limits }, { path, old_text, new_text }) => {
    const file = resolvePath(environment.workingDirectory, path);
    const content = await environment.files.read(file, limits.fileBytes);
    if (isProblem(content)) return { problem: `${path}: ${content.problem}` };
    const text = decodeText(content);
    if (text === undefined) return { problem: `${path}: it is not text` };
    const parts = text.split(old_text);
    if (parts.length !== 2) return { problem: describeMatches(path, parts.length - 1) };
    const wrong = await environment.files.write(file, Buffer.from(parts.join(new_text)));
    return wrong ? { problem: `${path}: ${wrong.problem}` } : `replaced one piece of ${path}`;
  },
};

function describeMatches(path: string, matches: number): string {
  const advice =
    matches === 0
      ? 'read the file, and give the text exactly as it is there'
      : 'include more surrounding text to make it unique';
  return `${path}: expected the old text exactly once, got ${matches} matches; ${advice}`;
}
