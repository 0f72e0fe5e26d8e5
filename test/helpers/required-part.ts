import type { TestContext } from 'vitest';

/** Skips a test for want of something on this machine, and says so; in CI everything has to be there. */
export function requirePart(context: TestContext, isThere: boolean, what: string): void {
  if (isThere) return;
  if (process.env.CI) throw new Error(`${what} is missing on this machine; CI needs it`);
  process.stderr.write(`SKIPPED for want of ${what}: ${context.task.name}\n`);
  context.skip(`${what} is missing`);
}

export const isRoot = process.getuid?.() === 0;
