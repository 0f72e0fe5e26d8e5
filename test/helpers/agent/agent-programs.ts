import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { PresetName } from '../../../src/domain/agent/agent.js';
import { findProgramIn } from '../../../src/exec/find-program.js';
import { requirePart } from '../../parts/required-part.js';

/**
 * A PATH in which the real program of an agent is found: below CARREL_AGENT_PROGRAMS, a directory that npm has installed
 * into, or on this machine. Skips the test without it.
 */
export function requireAgentProgram(context: TestContext, name: PresetName): string {
  const { CARREL_AGENT_PROGRAMS: directory, PATH = '' } = process.env;
  const path = directory ? `${join(directory, 'node_modules/.bin')}:${PATH}` : PATH;
  requirePart(context, findProgramIn(path, name) !== undefined, name);
  return path;
}
