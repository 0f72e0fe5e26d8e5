import { findPreset } from '../agent/presets.js';
import { isCarrelError } from '../domain/error.js';
import type { Failure, FailureKind } from '../domain/failure.js';
import type { ResolvedAgent } from '../domain/task.js';

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
  const kind = KINDS[error.code] ?? 'internal';
  const hint =
    kind === 'program-missing' && agent?.program.kind === 'preset'
      ? findPreset(agent.program.preset).install
      : error.hint;
  return { failure: { kind, stage, message, hint, output: null } };
}

const KINDS: Readonly<Partial<Record<string, FailureKind>>> = {
  PROGRAM_MISSING: 'program-missing',
  WORKSPACE_MISSING: 'workspace-lost',
  WORKSPACE_REPLACED: 'workspace-lost',
  WORKSPACE_MOVED: 'workspace-lost',
  NO_SUCH_DIRECTORY: 'workspace-lost',
  DISK_FULL: 'disk-full',
  SANDBOX_REFUSED: 'isolation',
  SANDBOX_DAMAGED: 'isolation',
  RUNTIME_UNAVAILABLE: 'isolation',
  ISOLATION_UNAVAILABLE: 'isolation',
  IMAGE_MISSING: 'isolation',
  LIMIT_NOT_ENFORCEABLE: 'isolation',
};
