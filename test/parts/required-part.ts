import { spawnSync } from 'node:child_process';
import { type TestContext, TestRunner } from 'vitest';
import { isRequired, type PartName } from './parts.js';

/** Skips a test that needs what this machine lacks; the run ends with a table of what was skipped. */
export function requirePart(context: TestContext, isThere: boolean, part: PartName): void {
  if (isThere) return;
  if (isRequired(part))
    throw new Error(`${part} is missing on this machine, and CARREL_REQUIRE_PARTS asks for it`);
  context.skip(part);
}

/** For a part that is a program of the same name. */
export function requireProgram(context: TestContext, name: PartName): void {
  requirePart(context, spawnSync('sh', ['-c', 'command -v "$0"', name]).status === 0, name);
}

/** The same two for a helper, which has no context: the test that is running is meant. */
export function needPart(isThere: boolean, part: PartName): void {
  const context = TestRunner.getCurrentTest()?.context;
  if (context) requirePart(context as TestContext, isThere, part);
}

export function needProgram(name: PartName): void {
  const context = TestRunner.getCurrentTest()?.context;
  if (context) requireProgram(context as TestContext, name);
}

export const isRoot = process.getuid?.() === 0;
