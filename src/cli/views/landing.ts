import type { LandResult } from '../../domain/result.js';

/** `landed 2 commits of a on main (squash); the workspace was removed` */
export function formatLanding({ name, into, strategy, commits, removed }: LandResult): string {
  const count = `${commits} commit${commits === 1 ? '' : 's'}`;
  return `landed ${count} of ${name} on ${into} (${strategy}); the workspace was ${removed ? 'removed' : 'kept'}`;
}
