import { carrelError } from '../error/error.js';
import type { IsolationMode, OnUnavailable } from '../isolation.js';
import type { Workspace } from '../workspace/workspace.js';

/** For each mode `true`, or why it is not available here. */
export type AvailableIsolation = Readonly<Record<IsolationMode, true | string>>;

/** From strong to weak; a mode falls back to those on its right. */
export const CHAIN: readonly IsolationMode[] = ['full', 'worktree', 'shared'];

/**
 * The mode that is actually used. Weaker than requested only when `onUnavailable` is `degrade`, and then with the reason.
 * ISOLATION_UNAVAILABLE otherwise, and when no mode is left.
 */
export function degradeIsolation(
  requested: IsolationMode,
  available: AvailableIsolation,
  onUnavailable: OnUnavailable,
): Workspace['isolation'] {
  const reasons: string[] = [];
  for (const mode of CHAIN.slice(CHAIN.indexOf(requested))) {
    const obstacle = available[mode];
    if (obstacle === true) return { requested, effective: mode, reason: reasons.join('; ') || null };
    reasons.push(mode === requested ? obstacle : `${mode}: ${obstacle}`);
    if (onUnavailable === 'fail') break;
  }
  throw carrelError('ISOLATION_UNAVAILABLE', { requested, reason: reasons.join('; ') });
}
