import type { LandResult } from '../../../../domain/report/result.js';
import { formatOmitted } from '../../../../domain/snapshot/omitted-files.js';

/** `landed 2 commits of a on main (squash); the workspace was removed` */
export function formatLanding(
  { name, into, strategy, commits, removed }: LandResult,
  isFastForward = false,
): string {
  const count = `${commits} commit${commits === 1 ? '' : 's'}`;
  const left = removed && removed.omitted.length > 0 ? formatOmitted(removed.omitted) : undefined;
  return [
    `landed ${count} of ${name} on ${into} (${isFastForward ? 'fast-forward' : strategy})`,
    `the workspace was ${removed ? 'removed' : 'kept'}`,
    ...(left === undefined ? [] : [`not in its snapshot: ${left}`]),
  ].join('; ');
}
