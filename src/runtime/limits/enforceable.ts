import { carrelError } from '../../domain/error.js';
import { LIMIT_NAMES, type LimitName, type RuntimeName } from '../../domain/runtime.js';
import type { Policy } from '../policy.js';
import type { LimitMeans } from './means.js';

/** LIMIT_NOT_ENFORCEABLE when the policy has a limit that is not among those, and insists. */
export function requireEnforceable(
  runtime: RuntimeName,
  policy: Pick<Policy, 'limits' | 'enforcement'>,
  enforceable: readonly LimitName[],
): void {
  if (policy.enforcement === 'best-effort') return;
  const limits = LIMIT_NAMES.filter(name => policy.limits[name] !== undefined && !enforceable.includes(name));
  if (limits.length === 0) return;
  const problem = 'no control group of this user can be held to it';
  throw carrelError('LIMIT_NOT_ENFORCEABLE', { runtime, limits, problem });
}

/**
 * What can be enforced for processes that we start ourselves. The size of a file is the kernel's business, time and disk
 * are ours. Memory and processors need a group: RLIMIT_AS counts addresses and not memory, for each process apart, so
 * that node does not even start within a sensible one while ten processes have ten times as much.
 */
export function enforceableLimits({ place, prlimit }: LimitMeans): LimitName[] {
  const byGroup = new Set<LimitName>(Object.keys(place?.directories ?? {}) as LimitName[]);
  return LIMIT_NAMES.filter(name => ALWAYS.has(name) || byGroup.has(name) || (name === 'pids' && prlimit));
}

const ALWAYS: ReadonlySet<LimitName> = new Set(['fileSize', 'disk', 'time']);
