import type { TestContext } from 'vitest';

/** Skips a test for want of something on this machine, and says so; in CI everything has to be there that can be had. */
export function requirePart(
  context: TestContext,
  isThere: boolean,
  what: string,
  isRequired = Boolean(process.env.CI),
): void {
  if (isThere) return;
  if (isRequired) throw new Error(`${what} is missing on this machine; CI needs it`);
  process.stderr.write(`SKIPPED for want of ${what}: ${context.task.name}\n`);
  context.skip(`${what} is missing`);
}

export const isRoot = process.getuid?.() === 0;
