import type { EvalItem } from '../../domain/eval-item.js';

/** The instruction, with a word about the directory that it speaks of. */
export function tellWorkdir(instruction: string, workdir: string): string {
  const preface = `(What follows calls the directory that you work in ${workdir}: take ${workdir}/x for the path x in it.)`;
  return `${preface}\n\n${instruction.trim()}`;
}

/** A task that has an image can't do without it. */
export const isolationsFor = (image: string | undefined): Pick<EvalItem, 'image' | 'isolation'> =>
  image === undefined ? {} : { image, isolation: ['docker'] };

/** 120.5 -> 121s */
export const secondsToDuration = (seconds: number): string => `${Math.max(1, Math.ceil(seconds))}s`;

export function difficultyOf(word: unknown): Pick<EvalItem, 'difficulty'> {
  return word === 'easy' || word === 'medium' || word === 'hard' ? { difficulty: word } : {};
}

export const quoteForShell = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
