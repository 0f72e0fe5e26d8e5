import type { Command, CommandResult } from '../../domain/command/command.js';
import { formatSize } from '../../domain/text/format-quantity.js';
import { pathWithin } from '../../tools/resolve-path.js';
import type { Listing, ListOptions, Problem, ToolFiles } from '../../tools/tool-access.js';
import type { TaskEnvironment } from '../isolation-provider.js';

// Everything runs as programs inside (sh, mkdir, cat, wc, head, find), so that paths resolve there and no
// link leads to a file of the host.

const LIMIT_MS = 60_000;
const MOST_LISTED_BYTES = 32 * 1024 ** 2;

/** Files as seen inside a sandbox. */
export function createInsideFiles(
  environment: TaskEnvironment,
  runCommand: (request: Command) => Promise<CommandResult>,
): ToolFiles {
  const run: Run = (script, args, more = {}) =>
    runCommand({
      command: ['sh', '-c', script, 'sh', ...args],
      timeoutMs: LIMIT_MS,
      endsLeftovers: false,
      ...more,
    });
  return {
    read: async (path, mostBytes) =>
      (await readDirectly(environment, path, mostBytes)) ?? readInside(run, path, mostBytes),
    write: async (path, content) => explain(await run(WRITE, [path], { stdin: content })),
    checkDirectory: async path => explain(await run('[ -d "$1" ] || exit 4', [path])),
    list: (path, options) => listInside(run, path, options),
  };
}

type Run = (
  script: string,
  args: readonly string[],
  more?: {
    readonly stdin?: Buffer;
    readonly maxOutputBytes?: number;
  },
) => Promise<CommandResult>;

/** Reads regular files of the working tree without a command; one command per file would make a grep slow. */
async function readDirectly(
  environment: TaskEnvironment,
  path: string,
  mostBytes: number,
): Promise<Buffer | undefined> {
  const way = pathWithin(environment.workingDirectory, path);
  return way ? environment.readFile(way, mostBytes) : undefined;
}

async function readInside(run: Run, path: string, mostBytes: number): Promise<Buffer | Problem> {
  const result = await run(READ, [path, String(mostBytes)], { maxOutputBytes: mostBytes });
  if (result.exitCode === TOO_LARGE) return { problem: `it is larger than ${formatSize(mostBytes)}` };
  return explain(result) ?? result.stdout;
}

const READ = `
if [ -d "$1" ]; then exit 3; fi
if [ ! -e "$1" ]; then exit 4; fi
if [ ! -f "$1" ]; then exit 5; fi
if [ "$(wc -c < "$1")" -gt "$2" ]; then exit 6; fi
cat < "$1"
`;

const WRITE = `
if [ -d "$1" ]; then exit 3; fi
if [ -e "$1" ] && [ ! -f "$1" ]; then exit 5; fi
mkdir -p -- "\${1%/*}/" && cat > "$1"
`;

const TOO_LARGE = 6;

const PROBLEMS: Readonly<Record<number, string>> = {
  3: 'it is a directory',
  4: 'no such file or directory',
  5: 'it is not a regular file',
};

function explain({ exitCode, timedOut }: CommandResult): Problem | undefined {
  if (exitCode === 0) return undefined;
  const how = timedOut ? 'timed out' : `exit status ${exitCode ?? 'none'}`;
  return { problem: PROBLEMS[exitCode ?? -1] ?? `it cannot be used (${how})` };
}

async function listInside(
  run: Run,
  path: string,
  { without, withLinks, most }: ListOptions,
): Promise<Listing | Problem> {
  const directories = [...without].flatMap(name => ['-o', '-name', name]).slice(1);
  const kinds = withLinks ? ['(', '-type', 'f', '-o', '-type', 'l', ')'] : ['-type', 'f'];
  const test = [...'-mindepth 1 -type d ('.split(' '), ...directories, ')', '-prune', '-o', ...kinds];
  const result = await run(LIST, [path, ...test, '-print0'], { maxOutputBytes: MOST_LISTED_BYTES });
  if (result.exitCode === 4) return { problem: 'no such file or directory' };
  const paths = result.stdout.toString().split('\0').slice(0, -1);
  const isWhole = result.exitCode === 0 && paths.length <= most && !result.truncated;
  return { paths: paths.slice(0, most), isWhole };
}

/** A path that is a file yields that file. */
const LIST = `
if [ ! -e "$1" ]; then exit 4; fi
if [ ! -d "$1" ]; then printf '%s\\0' "$1"; exit; fi
exec find -H "$@"
`;
