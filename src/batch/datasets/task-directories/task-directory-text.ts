import type { EvalItem } from '../../../domain/batch/eval-item.js';

/** The instruction, with a note about its directory. The note comes last, because lists show the first line. */
export function tellWorkdir(instruction: string, workdir: string): string {
  const note = `(Your working directory is called ${workdir} here: for ${workdir}/x, use the path x in it.)`;
  return `${instruction.trim()}\n\n${note}`;
}

/** A task that has an image needs it. */
export const isolationsFor = (image: string | undefined): Pick<EvalItem, 'image' | 'isolation'> =>
  image === undefined ? {} : { image, isolation: ['docker'] };

/** 120.5 -> 121s */
export const secondsToDuration = (seconds: number): string => `${Math.max(1, Math.ceil(seconds))}s`;

export function difficultyOf(word: unknown): Pick<EvalItem, 'difficulty'> {
  return word === 'easy' || word === 'medium' || word === 'hard' ? { difficulty: word } : {};
}

export const quoteForShell = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
