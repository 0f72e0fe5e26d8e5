import type { WorkspaceRecord } from '../../domain/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { listRefs } from '../../git/refs.js';
import { writeWorkTreeDiff } from '../../git/work-tree-diff.js';
import { headOf } from '../../jj/working-copy.js';
import type { Diffing } from '../backend.js';
import { requirePresent } from '../presence.js';
import { settleRefs } from './inspect.js';
import { type JjBackendOptions, requireCommonDir } from './place.js';
import { sight } from './presence.js';
import { viewOf, withView } from './view.js';

/** Made from the files by git rather than by `jj diff`, which records them first and leaves some out (see view.ts). */
export function createJjDiffing(options: JjBackendOptions): Diffing {
  const { git, jj, temporaryRoot } = options;
  return {
    diff: async (record, format, write) => {
      const { presence, workingCopy } = await sight(jj, record);
      requirePresent(record, presence);
      await settleRefs(jj, record);
      const head = workingCopy ? headOf(workingCopy) : null;
      const against = await findMergeBase(git, record, head);
      const view = viewOf(record, head);
      const { skipped } = await withView(git, temporaryRoot, view, place =>
        writeWorkTreeDiff(git, place, { against, format, temporaryRoot }, write),
      );
      return { skipped: skipped.map(displayPath) };
    },
  };
}

/**
 * Where the workspace left its base: the base bookmark as it is now, so that what was rebased onto it does not count as
 * the workspace's own; the commit it was made from when that is gone or has nothing in common.
 */
async function findMergeBase(git: Git, record: WorkspaceRecord, head: string | null): Promise<string> {
  const place = { gitDir: requireCommonDir(record) };
  const made = record.base.commit as string;
  const names = record.base.ref === null ? [] : [`refs/heads/${record.base.ref}`];
  const refs = names.length === 0 ? [] : await listRefs(git, place, names);
  const current = refs.find(({ ref }) => names.includes(ref))?.commit;
  for (const base of head === null ? [] : [current, made]) {
    if (base === undefined) continue;
    const query = ['merge-base', '--end-of-options', head as string, base];
    const result = await git.run(query, { ...place, answers: [0, 1, 128] });
    const [commit] = result.stdout.toString('latin1').trim().split('\n');
    if (result.exitCode === 0 && commit) return commit;
  }
  return made;
}
