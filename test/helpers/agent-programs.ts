import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { PresetName } from '../../src/domain/agent.js';
import { findProgramIn } from '../../src/exec/find-program.js';
import { requirePart } from './required-part.js';

/** What `.ci/run` installs; the others are tested where somebody has them. */
const INSTALLED_IN_CI: ReadonlySet<string> = new Set<PresetName>(['claude', 'codex']);

/**
 * A PATH in which the real program of an agent is found: below CARREL_AGENT_PROGRAMS, a directory that npm has installed
 * into, or on this machine. Skips the test without it.
 */
export function requireAgentProgram(context: TestContext, name: PresetName): string {
  const { CARREL_AGENT_PROGRAMS: directory, CARREL_REQUIRE_AGENTS, PATH = '' } = process.env;
  const path = directory ? `${join(directory, 'node_modules/.bin')}:${PATH}` : PATH;
  const isRequired = CARREL_REQUIRE_AGENTS === '1' && INSTALLED_IN_CI.has(name);
  requirePart(context, findProgramIn(path, name) !== undefined, `the program ${name}`, isRequired);
  return path;
}
