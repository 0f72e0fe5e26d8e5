import type { RemovalResult } from '../../../../domain/report/result.js';
import { formatOmitted } from '../../../../domain/snapshot/omitted-files.js';

/** The result of `carrel down`, how to undo it, and what cannot be restored. */
export function formatRemoval(removal: RemovalResult): string {
  const { name, snapshot, omitted, keptFiles, keptBranch, stopped, repositories } = removal;
  return [
    keptFiles ? `forgot ${name}; its files are kept` : `removed ${name}`,
    ...(repositories ? [`in ${repositories.map(({ alias }) => alias).join(', ')}`] : []),
    ...(stopped.length > 0 ? [`stopped ${stopped.length} process${stopped.length === 1 ? '' : 'es'}`] : []),
    ...(keptBranch === null ? [] : [`the branch ${keptBranch} was kept`]),
    ...(snapshot === null ? [] : [`restore it with: carrel restore ${snapshot}`]),
    ...(omitted.length === 0 ? [] : [`not in the snapshot: ${formatOmitted(omitted)}`]),
  ].join('; ');
}
