import { findPreset } from '../agent/presets.js';
import { isCarrelError } from '../domain/error.js';
import type { Failure } from '../domain/failure.js';
import type { ResolvedAgent } from '../domain/task.js';
import { failureKind } from './failure-kind.js';

/**
 * What can go wrong around an agent: before it runs at all, or when what it left is collected. A mistake of ours goes on,
 * and so does the news that the task is not ours any more.
 */
export function explainStart(
  error: unknown,
  agent: ResolvedAgent | undefined,
  stage: string,
): { failure: Failure } {
  if (!isCarrelError(error) || error.code === 'INTERNAL' || error.code === 'TASK_BUSY') throw error;
  const { message } = error;
  const kind = failureKind(error.code);
  const hint =
    kind === 'program-missing' && agent?.program.kind === 'preset'
      ? findPreset(agent.program.preset).install
      : error.hint;
  return { failure: { kind, stage, message, hint, output: null } };
}
