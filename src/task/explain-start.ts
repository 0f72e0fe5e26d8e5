import { findPreset } from '../agent/presets.js';
import { isCarrelError } from '../domain/error.js';
import type { Failure } from '../domain/failure.js';
import type { ResolvedAgent } from '../domain/task.js';

/** What can go wrong before the agent runs at all. */
export function explainStart(error: unknown, agent: ResolvedAgent, stage: string): { failure: Failure } {
  const told = (kind: Failure['kind']) => {
    const { message, hint } = error as { message: string; hint: string };
    return { failure: { kind, stage, message, hint, output: null } };
  };
  if (isCarrelError(error, 'PROGRAM_MISSING')) {
    const hint = agent.program.kind === 'preset' ? findPreset(agent.program.preset).install : error.hint;
    return { failure: { ...told('program-missing').failure, hint } };
  }
  if (isCarrelError(error, 'WORKSPACE_MISSING', 'WORKSPACE_REPLACED', 'WORKSPACE_MOVED', 'NO_SUCH_DIRECTORY'))
    return told('workspace-lost');
  if (isCarrelError(error, 'DISK_FULL')) return told('disk-full');
  if (
    isCarrelError(error, 'SANDBOX_REFUSED', 'RUNTIME_UNAVAILABLE', 'IMAGE_MISSING', 'LIMIT_NOT_ENFORCEABLE')
  )
    return told('isolation');
  throw error;
}
