import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import { writeWorkTreeDiff } from '../../git/diff/work-tree-diff.js';
import type { Git } from '../../git/git.js';
import { listRefs } from '../../git/refs/refs.js';
import { headOf } from '../../jj/working-copy.js';
import type { Diffing } from '../backend.js';
import { requirePresent } from '../location/presence.js';
import { withInspectionLimit } from '../work/inspection-limit.js';
import { viewOf, withView } from './git-view.js';
import { exportToGit } from './inspect.js';
import { type JjBackendOptions, requireCommonDir } from './jj-place.js';
import { inspectJjPresence } from './jj-presence.js';

/** Made from the files by git rather than by `jj diff`, which records them first and leaves some out (see git-view.ts). */
export function createJjDiffing(options: JjBackendOptions): Diffing {
  const { git, jj, temporaryRoot, ownDirOf } = options;
  return {
    diff: async (record, format, write, below) => {
      const { presence, workingCopy } = await inspectJjPresence(options, record);
      requirePresent(record, presence);
      await exportToGit(jj, record);
      const head = workingCopy ? headOf(workingCopy) : null;
      const against = await findMergeBase(git, record, head);
      const view = viewOf(record, head);
      const { skipped, changed } = await withView(git, temporaryRoot, view, place =>
        withInspectionLimit(
          place,
          metered => writeWorkTreeDiff(git, metered, { against, format, below, temporaryRoot }, write),
          { markDir: ownDirOf(record.id) },
        ),
      );
      return { skipped: skipped.map(displayPath), changed: changed.map(displayPath) };
    },
  };
}

/**
 * Where the workspace left its base: the base bookmark's current commit, so that what it was rebased onto does not count
 * as its own work; the commit it was created from when that is gone or has nothing in common.
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
