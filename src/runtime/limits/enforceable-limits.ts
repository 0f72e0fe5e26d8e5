import { carrelError } from '../../domain/error/error.js';
import { LIMIT_NAMES, type LimitName, type RuntimeName } from '../../domain/sandbox/runtime-finding.js';
import type { Policy } from '../policy.js';
import type { LimitMeans } from './limit-means.js';

/** LIMIT_NOT_ENFORCEABLE when the policy has a limit that is not among those, and requires it. */
export function requireEnforceable(
  runtime: RuntimeName,
  policy: Pick<Policy, 'limits' | 'enforcement'>,
  enforceable: readonly LimitName[],
  problem = 'this user has no control group that can enforce it',
): void {
  if (policy.enforcement === 'best-effort') return;
  const limits = LIMIT_NAMES.filter(name => policy.limits[name] !== undefined && !enforceable.includes(name));
  if (limits.length === 0) return;
  throw carrelError('LIMIT_NOT_ENFORCEABLE', { runtime, limits, problem });
}

/**
 * What can be enforced for processes that we start ourselves. The kernel limits the size of a file; Carrel limits time
 * and disk. Memory and processors need a group: RLIMIT_AS counts addresses instead of memory, for each process
 * separately, so node does not even start with a sensible value, while ten processes get ten times as much.
 */
export function enforceableLimits({ place, prlimit }: LimitMeans): LimitName[] {
  const byGroup = new Set<LimitName>(Object.keys(place?.directories ?? {}) as LimitName[]);
  return LIMIT_NAMES.filter(name => ALWAYS.has(name) || byGroup.has(name) || (name === 'pids' && prlimit));
}

const ALWAYS: ReadonlySet<LimitName> = new Set(['fileSize', 'disk', 'time']);
