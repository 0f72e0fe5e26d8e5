import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError } from '../../domain/error.js';
import { explainFullDisk } from '../../git/disk-full.js';
import { withScratchDirectory } from '../../git/scratch-directory.js';
import type { Context } from '../../operations/context.js';
import { INSIDE } from '../../runtime/policy.js';
import { removeTree } from '../../workspace/remove-tree.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import { makeEvalPlaces } from '../provider-places.js';

/** Where an agent's program finds its prompt and files, and may write: outside of the working tree, so that it is no work. */
export interface AgentDesk {
  /** Absolute paths as the agent sees them. */
  readonly promptFile: string;
  readonly inputDir: string;
  readonly outputDir: string;
  readonly filesDir: string;
  /** Makes it with these files, by path relative to it. */
  place(files: PlacedFiles): Promise<void>;
}

type PlacedFiles = ReadonlyMap<string, string>;

/** In a sandbox it lies in the private home and goes with that; only commands that run inside touch it. */
export async function withAgentDesk<T>(
  context: Pick<Context, 'places'>,
  environment: TaskEnvironment,
  work: (desk: AgentDesk) => Promise<T>,
): Promise<T> {
  if (environment.isSandboxed) {
    const directory = join(INSIDE.home, '.carrel-agent');
    return work({ ...layOut(directory), place: files => placeInside(environment, directory, files) });
  }
  const { root } = await makeEvalPlaces(context);
  return withScratchDirectory(root, directory => {
    const desk = { ...layOut(directory), place: (files: PlacedFiles) => placeOnHost(directory, files) };
    // The agent may have taken its own right to remove files; that is no reason for the batch to stop.
    return work(desk).finally(() => removeTree(directory));
  });
}

const DIRECTORIES = ['inputs', 'outputs', 'files'] as const;

const layOut = (directory: string) => ({
  promptFile: join(directory, 'prompt.md'),
  inputDir: join(directory, 'inputs'),
  outputDir: join(directory, 'outputs'),
  filesDir: join(directory, 'files'),
});

async function placeOnHost(directory: string, files: PlacedFiles): Promise<void> {
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
  files: PlacedFiles,
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
