import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import { writeWorkTreeDiff } from '../../git/diff/work-tree-diff.js';
import type { Git } from '../../git/git.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import type { Diffing } from '../backend.js';
import { requirePresent } from '../location/presence.js';
import { findPlace } from './inspect.js';

/** Changes in the whole checkout since the workspace was created. */
export function createDirectDiffing({ git, temporaryRoot }: { git: Git; temporaryRoot: string }): Diffing {
  return {
    diff: async (record, format, write) => {
      const checkout = await requireCheckout(git, record);
      const against = await findStart(git, checkout, record.base.commit);
      const { skipped, changed } = await writeWorkTreeDiff(
        git,
        checkout,
        { against, format, temporaryRoot },
        write,
      );
      return { skipped: skipped.map(displayPath), changed: changed.map(displayPath) };
    },
  };
}

async function requireCheckout(git: Git, record: WorkspaceRecord): Promise<WorkTreePlace> {
  const { presence, checkout } = await findPlace(git, record);
  requirePresent(record, presence);
  if (!checkout)
    throw carrelError('NOT_SUPPORTED', { what: 'show changes outside of git', backend: 'direct' });
  return checkout;
}

/** The merge base of HEAD and the base, so that going back in history is not shown as changes; undefined without a base. */
async function findStart(git: Git, { gitDir }: WorkTreePlace, base: string | null): Promise<string> {
  if (base === null) return git.text(['hash-object', '-t', 'tree', '--stdin'], { gitDir, stdin: '' });
  const result = await git.run(['merge-base', '--end-of-options', 'HEAD', base], {
    gitDir,
    answers: [0, 1, 128],
  });
  const [commit] = result.stdout.toString('latin1').trim().split('\n');
  return (result.exitCode === 0 && commit) || base;
}
