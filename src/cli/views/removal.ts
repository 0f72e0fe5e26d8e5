import type { RemovalResult } from '../../domain/result.js';

/** What `carrel down` did, and how to take it back. */
export function formatRemoval({ name, snapshot, keptFiles, keptBranch, stopped }: RemovalResult): string {
  return [
    keptFiles ? `forgot ${name}; its files stay` : `removed ${name}`,
    ...(stopped.length > 0 ? [`ended ${stopped.length} process${stopped.length === 1 ? '' : 'es'}`] : []),
    ...(keptBranch === null ? [] : [`the branch ${keptBranch} was kept`]),
    ...(snapshot === null ? [] : [`bring it back with: carrel restore ${snapshot}`]),
  ].join('; ');
}
