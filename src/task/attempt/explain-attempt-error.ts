import { findPreset } from '../../agent/presets.js';
import { isCarrelError } from '../../domain/error/error.js';
import type { Failure } from '../../domain/task/failure.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import { failureKind } from './failure-kind.js';

/** Bugs in Carrel, and the loss of the task or of the state directory to another process. */
const NOT_OF_THE_START: ReadonlySet<string> = new Set(['INTERNAL', 'TASK_BUSY', 'STATE_LOST']);

/**
 * Errors around an agent: before it runs, or when its work is collected. Bugs in Carrel are rethrown,
 * and so is the error that this process no longer owns the task.
 */
export function explainAttemptError(
  error: unknown,
  agent: ResolvedAgent | undefined,
  stage: string,
): { failure: Failure } {
  if (!isCarrelError(error) || NOT_OF_THE_START.has(error.code)) throw error;
  const { message } = error;
  const kind = failureKind(error.code);
  const hint =
    kind === 'program-missing' && agent?.program.kind === 'preset'
      ? findPreset(agent.program.preset).install
      : error.hint;
  return { failure: { kind, stage, message, hint, output: null } };
}
