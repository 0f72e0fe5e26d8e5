import type { ResetResult } from '../../../../domain/report/reset-result.js';
import { formatOmitted } from '../../../../domain/snapshot/omitted-files.js';

/** The result of `carrel reset`, and how to get back what was there. */
export function formatReset({ name, commit, snapshot, omitted, stopped }: ResetResult): string {
  return [
    commit === null ? `${name} is as it was made` : `${name} is at its base ${commit.slice(0, 12)}`,
    ...(stopped.length > 0 ? [`stopped ${stopped.length} process${stopped.length === 1 ? '' : 'es'}`] : []),
    `restore what was there with: carrel restore ${snapshot} --as ${name}-before`,
    ...(omitted.length === 0 ? [] : [`not in the snapshot: ${formatOmitted(omitted)}`]),
  ].join('; ');
}
