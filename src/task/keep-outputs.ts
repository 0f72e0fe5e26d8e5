import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { StageOutput } from '../domain/task.js';
import { explainFullDisk } from '../git/disk-full.js';
import type { Context } from '../operations/context.js';
import type { Collected, CollectedFile } from './desk.js';
import { outputFileName } from './output-file-name.js';
import { safeFileName } from './safe-file-name.js';
import { taskPlace } from './task-place.js';

export interface LeftByAgent {
  /** Names of outputs that the workflow says the stage makes. */
  readonly declared: readonly string[];
  readonly collected: Collected;
  /** The agent's last words. */
  readonly message: string | null;
}

export interface KeptOutputs {
  readonly outputs: readonly StageOutput[];
  /** Declared, and nothing could be kept for them. */
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Keeps what a stage hands on: for each declared output the file of that name, with or without an ending, or else the
 * agent's last words; and all other files by their path. What an earlier attempt of the stage has left is replaced.
 * DISK_FULL.
 */
export async function keepOutputs(
  context: Context,
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

/** The very name before the one that the agent was told, and that before any other ending. */
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
