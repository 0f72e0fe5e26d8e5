import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError } from '../../domain/error.js';
import { explainFullDisk } from '../../git/disk-full.js';
import type { Context } from '../../operations/context.js';
import { INSIDE } from '../../runtime/policy.js';
import type { TaskEnvironment } from '../isolation-provider.js';

/** Where an agent's program finds its prompt and files, and may write: outside of the working tree, so that it is no work. */
export interface AgentDesk {
  /** Absolute paths as the agent sees them. */
  readonly promptFile: string;
  readonly inputDir: string;
  readonly outputDir: string;
  readonly filesDir: string;
  /** Makes it with these files, by path relative to it. */
  place(files: ReadonlyMap<string, string>): Promise<void>;
  /** Idempotent. */
  clear(): Promise<void>;
}

/** In a sandbox it lies in the private home and goes with that; only commands that run inside touch it. */
export async function openAgentDesk(
  { places }: Pick<Context, 'places'>,
  environment: TaskEnvironment,
): Promise<AgentDesk> {
  if (environment.isSandboxed) {
    const directory = join(INSIDE.home, '.carrel-agent');
    const place: AgentDesk['place'] = files => placeInside(environment, directory, files);
    return { ...layOut(directory), place, clear: async () => undefined };
  }
  const directory = await mkdtemp(join(places.temporaryRoot, 'carrel-agent-'));
  return {
    ...layOut(directory),
    place: files => placeOnHost(directory, files),
    // An agent may have taken its own right to remove files: then they are left to who tidies the temporary directory.
    clear: () => rm(directory, { recursive: true, force: true }).catch(() => undefined),
  };
}

const DIRECTORIES = ['inputs', 'outputs', 'files'] as const;

const layOut = (directory: string) => ({
  promptFile: join(directory, 'prompt.md'),
  inputDir: join(directory, 'inputs'),
  outputDir: join(directory, 'outputs'),
  filesDir: join(directory, 'files'),
});

async function placeOnHost(directory: string, files: ReadonlyMap<string, string>): Promise<void> {
  try {
    for (const name of DIRECTORIES) await mkdir(join(directory, name), { recursive: true });
    for (const [path, content] of files) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), content, { mode: 0o600 });
    }
  } catch (error) {
    throw await explainFullDisk(error, [directory]);
  }
}

const LIMIT_MS = 60_000;

async function placeInside(
  environment: TaskEnvironment,
  directory: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [path, content] of files) {
    const { exitCode } = await environment.run({
      command: ['sh', '-c', PLACE_SCRIPT, 'sh', directory, path],
      stdin: content,
      timeoutMs: LIMIT_MS,
      endsLeftovers: false,
    });
    if (exitCode === 0) continue;
    const problem = `files for the agent could not be placed at ${directory} (exit status ${exitCode ?? 'none'})`;
    throw carrelError('SANDBOX_REFUSED', { runtime: 'sandbox', problem });
  }
}

/** DIRECTORY PATH; the content on standard input. */
const PLACE_SCRIPT = `
set -e
umask 077
cd -- "\${1%/*}"
mkdir -p -- ${DIRECTORIES.map(name => `"$1/${name}"`).join(' ')}
file=$1/$2
mkdir -p -- "\${file%/*}"
cat > "$file"
`;
