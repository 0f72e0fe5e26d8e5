import type { NumberedStep } from '../steps/step.js';

export interface ShrinkOptions {
  /** Whether these steps still show it. */
  readonly shows: (steps: readonly NumberedStep[]) => Promise<boolean>;
  /** As of `performance.now()`. */
  readonly deadline: number;
}

/**
 * The fewest steps that still show what was found, as far as the time allows: leaves out halves, then quarters, and so on
 * down to single steps, from the start again each time something could be left out.
 */
export async function shrink(
  steps: readonly NumberedStep[],
  { shows, deadline }: ShrinkOptions,
): Promise<readonly NumberedStep[]> {
  let left = steps;
  let size = Math.ceil(left.length / 2);
  while (size >= 1 && performance.now() < deadline) {
    const shorter = await leaveOut(left, size, { shows, deadline });
    if (shorter) left = shorter;
    else if (size === 1) return left;
    if (!shorter || size > left.length) size = Math.ceil(size / 2);
  }
  return left;
}

/** The last step is what showed it and always stays. */
async function leaveOut(
  steps: readonly NumberedStep[],
  size: number,
  { shows, deadline }: ShrinkOptions,
): Promise<readonly NumberedStep[] | undefined> {
  for (let end = steps.length - 1; end > 0; end -= size) {
    if (performance.now() > deadline) return undefined;
    const rest = [...steps.slice(0, Math.max(0, end - size)), ...steps.slice(end)];
    if (await shows(rest)) return rest;
  }
  return undefined;
}
