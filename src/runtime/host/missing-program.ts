import { errnoOf } from '../../domain/error.js';
import type { SandboxResult } from '../runtime.js';

/** That a program is not there is the same result as in every sandbox: 127, and 126 when it may not be executed. */
export function missingProgram(program: string, error: unknown): SandboxResult {
  const status = STATUSES[errnoOf(error) ?? ''];
  if (status === undefined) throw error;
  const problem = status === 127 ? 'it was not found' : 'it may not be executed';
  return {
    exitCode: status,
    signal: null,
    stdout: Buffer.alloc(0),
    stderr: Buffer.from(`${program} can't be started: ${problem}\n`),
    truncated: false,
    timedOut: false,
    cancelled: false,
    durationMs: 0,
  };
}

const STATUSES: Readonly<Record<string, number>> = { ENOENT: 127, EACCES: 126, ENOEXEC: 126 };
