import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { Collected, CollectedFile } from '../../../attempt/handoff/handoff.js';
import type { StageOutput } from '../../../domain/task/task.js';
import { explainFullDisk } from '../../../git/disk/disk-full.js';
import type { Context } from '../../../operations/context.js';
import { taskPlace } from '../../record/task-place.js';
import { outputFileName } from './output-file-name.js';
import { safeFileName } from './safe-file-name.js';

export interface LeftByAgent {
  /** Outputs that the workflow declares for the stage. */
  readonly declared: readonly string[];
  readonly collected: Collected;
  /** The agent's final message. */
  readonly message: string | null;
}

export interface KeptOutputs {
  readonly outputs: readonly StageOutput[];
  /** Declared outputs for which nothing could be kept. */
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Keeps the outputs of a stage: for each declared output the file of that name, with or without an extension, or else the
 * agent's final message; and all other files by their path. Outputs of an earlier attempt of the stage are replaced.
 * DISK_FULL.
 */
export async function keepOutputs(
  context: Pick<Context, 'places'>,
  taskId: string,
  stage: string,
  left: LeftByAgent,
): Promise<KeptOutputs> {
  const directory = join(taskPlace(context.places.stateDir, taskId).outputsDir, safeFileName(stage));
  const { found, missing } = assign(left);
  try {
    await rm(directory, { recursive: true, force: true });
    const outputs: StageOutput[] = [];
    for (const output of found) outputs.push(await keep(directory, output));
    return { outputs, missing, warnings: left.collected.warnings };
  } catch (error) {
    throw await explainFullDisk(error, [directory]);
  }
}

interface Found extends CollectedFile {
  readonly name: string;
  readonly source: StageOutput['source'];
}

function assign({ declared, collected, message }: LeftByAgent): { found: Found[]; missing: string[] } {
  const words = message?.trim() ? Buffer.from(message) : undefined;
  const found: Found[] = [];
  const missing: string[] = [];
  for (const name of new Set(declared)) {
    const file = findFile(name, collected.files);
    if (file) found.push({ ...file, name, source: 'file' });
    else if (words) found.push({ path: outputFileName(name), content: words, name, source: 'message' });
    else missing.push(name);
  }
  const taken = new Set(found.map(({ path }) => path));
  const further = collected.files.filter(({ path }) => !taken.has(path));
  return {
    found: [...found, ...further.map(file => ({ ...file, name: file.path, source: 'file' as const }))],
    missing,
  };
}

/** Prefers the exact name, then the name given to the agent, then any other extension. */
function findFile(name: string, files: readonly CollectedFile[]): CollectedFile | undefined {
  return (
    files.find(({ path }) => path === name) ??
    files.find(({ path }) => path === outputFileName(name)) ??
    files.find(({ path }) => path.slice(0, path.length - extname(path).length) === name)
  );
}

async function keep(directory: string, { name, path, content, source }: Found): Promise<StageOutput> {
  const file = join(directory, path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, content, { mode: 0o600 });
  return { name, file, bytes: content.length, source };
}
