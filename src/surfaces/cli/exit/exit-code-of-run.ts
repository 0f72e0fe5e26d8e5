import type { ExecResult } from '../../../domain/report/result.js';
import { exitCodeOfSignal } from './exit-code.js';
import type { Interruption } from './interruption.js';

/** The command's own exit status, as a shell would report it; ours when an interruption stopped it. */
export function exitCodeOfRun(result: ExecResult, interruption: Pick<Interruption, 'exitCode'>): number {
  if (result.cancelled) return interruption.exitCode() ?? exitCodeOfSignal('SIGINT');
  return result.exitCode ?? exitCodeOfSignal(result.signal ?? 'SIGKILL');
}
