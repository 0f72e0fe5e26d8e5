import { z } from 'zod';
import { formatDuration } from '../domain/quantity.js';
import { createBoundedOutput } from './bounded-output.js';
import { PathSchema, type ToolContext, type ToolDefinition } from './define-tool.js';
import { resolvePath, shownPath } from './resolve-path.js';
import type { HandsResult } from './tool-hands.js';

const InputSchema = z.strictObject({
  command: z.string().min(1).describe('the command, as bash reads it'),
  cwd: PathSchema.optional().describe('where to run it; the working directory when left out'),
  timeout_seconds: z.number().positive().optional().describe('time limit'),
});

export const bash: ToolDefinition<z.infer<typeof InputSchema>> = {
  name: 'bash',
  description:
    'Runs a command in a new shell in the working directory and gives what it prints, standard output and error together. ' +
    'It has no input and no terminal. What it leaves running in the background is ended.',
  input: InputSchema,
  run: async (context, { command, cwd = '.', timeout_seconds }) => {
    const { hands, limits, signal } = context;
    const directory = resolvePath(hands.workingDirectory, cwd);
    const wrong = await hands.files.checkDirectory(directory);
    if (wrong) return { problem: `${shownPath(hands.workingDirectory, directory)}: ${wrong.problem}` };
    const timeoutMs = findLimit(context, timeout_seconds);
    const output = createBoundedOutput(limits.outputBytes);
    const result = await hands.run({
      command: ['sh', '-c', START, 'sh', directory, command],
      timeoutMs,
      signal,
      onOutput: output.add,
    });
    return describe(output.text(), result, timeoutMs);
  },
};

/**
 * An image may have no bash; then sh does what it can. Without --norc a bash whose standard input is a socket, as Node's
 * pipes are, takes itself for a remote shell and reads ~/.bashrc (seen with 5.2).
 */
const START =
  'cd -- "$1" || exit; if command -v bash >/dev/null 2>&1; then exec bash --norc -c "$2"; fi; exec sh -c "$2"';

const findLimit = ({ limits }: ToolContext, seconds: number | undefined): number =>
  Math.min(seconds === undefined ? limits.commandMs : Math.ceil(seconds * 1000), limits.longestCommandMs);

function describe(output: string, { exitCode, timedOut }: HandsResult, timeoutMs: number) {
  if (exitCode === 0) return output;
  const how = timedOut
    ? `ended after its time limit of ${formatDuration(timeoutMs)}`
    : exitCode === null
      ? 'ended by a signal'
      : `exit status ${exitCode}`;
  const gap = output === '' || output.endsWith('\n') ? '' : '\n';
  return { output: `${output}${gap}[${how}]`, isError: true };
}
