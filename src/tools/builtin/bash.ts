import { z } from 'zod';
import type { CommandResult } from '../../domain/command/command.js';
import { formatLimit } from '../../domain/text/format-quantity.js';
import { PathSchema, type ToolContext, type ToolDefinition } from '../define-tool.js';
import { resolvePath, shownPath } from '../resolve-path.js';

const InputSchema = z.strictObject({
  command: z.string().min(1).describe('the command, as bash reads it'),
  cwd: PathSchema.optional().describe('where to run it (default: the working directory)'),
  timeout_seconds: z.number().positive().optional().describe('time limit'),
});

export const bash: ToolDefinition<z.infer<typeof InputSchema>> = {
  name: 'bash',
  description:
    'Runs a command in a new shell in the working directory and returns its output, standard output and error together. ' +
    'It has no input and no terminal. Processes left running in the background are killed.',
  input: InputSchema,
  run: async (context, { command, cwd = '.', timeout_seconds }) => {
    const { environment, limits, signal } = context;
    const directory = resolvePath(environment.workingDirectory, cwd);
    const wrong = await environment.files.checkDirectory(directory);
    if (wrong) return { problem: `${shownPath(environment.workingDirectory, directory)}: ${wrong.problem}` };
    const timeoutMs = findLimit(context, timeout_seconds);
    const output = createBoundedOutput(limits.outputBytes);
    const result = await environment.run({
      command: ['sh', '-c', START, 'sh', directory, command],
      timeoutMs,
      signal,
      onOutput: (_, chunk) => output.add(chunk),
    });
    return describe(output.text(), result, timeoutMs);
  },
};

/** Keeps the start and the end of the output: the start shows what was done, the end the result. */
function createBoundedOutput(mostBytes: number) {
  const half = Math.floor(mostBytes / 2);
  let begin: Buffer = Buffer.alloc(0);
  let end: Buffer = Buffer.alloc(0);
  let bytes = 0;
  return {
    add: (chunk: Buffer): void => {
      bytes += chunk.length;
      const room = half - begin.length;
      if (room > 0) begin = Buffer.concat([begin, chunk.subarray(0, room)]);
      if (chunk.length > room) end = Buffer.concat([end, chunk.subarray(Math.max(0, room))]).subarray(-half);
    },
    text: (): string => {
      const left = bytes - begin.length - end.length;
      const gap = left > 0 ? `\n[${left} bytes left out]\n` : '';
      return gap ? `${begin}${gap}${end}` : Buffer.concat([begin, end]).toString();
    },
  };
}

/**
 * An image may have no bash; then sh is used. Without --norc a bash whose standard input is a socket, as Node's
 * pipes are, takes itself for a remote shell and reads ~/.bashrc (seen with 5.2).
 */
const START =
  'cd -- "$1" || exit; if command -v bash >/dev/null 2>&1; then exec bash --norc -c "$2"; fi; exec sh -c "$2"';

const findLimit = ({ limits }: ToolContext, seconds: number | undefined): number =>
  Math.min(seconds === undefined ? limits.commandMs : Math.ceil(seconds * 1000), limits.longestCommandMs);

function describe(output: string, { exitCode, timedOut }: CommandResult, timeoutMs: number) {
  if (exitCode === 0) return output;
  const how = timedOut
    ? `killed after its time limit of ${formatLimit(timeoutMs)}`
    : exitCode === null
      ? 'killed by a signal'
      : `exit status ${exitCode}`;
  const gap = output === '' || output.endsWith('\n') ? '' : '\n';
  return { output: `${output}${gap}[${how}]`, isError: true };
}
