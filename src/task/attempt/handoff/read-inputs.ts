import { readFile } from 'node:fs/promises';
import { carrelError, errnoOf } from '../../../domain/error/error.js';
import type { Stage, StageOutput } from '../../../domain/task/task.js';
import { inputFileName } from './output-file-name.js';
import { safeFileName } from './safe-file-name.js';

export interface StageInput {
  readonly name: string;
  /** Unique among the inputs of a stage. */
  readonly fileName: string;
  readonly content: Buffer;
  /** Null when it is not text. */
  readonly text: string | null;
}

/**
 * The inputs of a stage: the outputs of successful stages with these names. When several stages have one,
 * all are included, each with the name of its stage. FILE_UNREADABLE.
 */
export async function readInputs(
  stages: readonly Stage[],
  declared: readonly string[],
): Promise<readonly StageInput[]> {
  return Promise.all([...new Set(declared)].flatMap(name => findMade(stages, name)).map(readInput));
}

interface Made extends StageOutput {
  readonly stage: string;
  /** Whether another stage has an output of the same name. */
  readonly isOneOfSeveral: boolean;
}

function findMade(stages: readonly Stage[], name: string): Made[] {
  const made = stages
    .filter(({ status }) => status === 'succeeded')
    .flatMap(({ outputs, name: stage }) =>
      outputs.filter(output => output.name === name).map(output => ({ ...output, stage })),
    );
  return made.map(output => ({ ...output, isOneOfSeveral: made.length > 1 }));
}

async function readInput({ name, stage, file, isOneOfSeveral }: Made): Promise<StageInput> {
  const plain = inputFileName(name, file);
  const content = await readKept(file);
  return {
    name: isOneOfSeveral ? `${name}, by ${stage}` : name,
    fileName: isOneOfSeveral ? `${safeFileName(stage)}-${plain}` : plain,
    content,
    text: toText(content),
  };
}

async function readKept(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw carrelError('FILE_UNREADABLE', { path, problem: errnoOf(error) ?? String(error) }, error);
  }
}

function toText(content: Buffer): string | null {
  try {
    return content.includes(0) ? null : new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return null;
  }
}
