import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { mergeTrees } from '../../git/history/merge.js';
import { countPlainCommits } from '../../git/history/plain-merge-base.js';
import { withScratchPlace } from '../../git/objects/scratch-place.js';

/**
 * How far a workspace at `head` and its base have diverged, and whether merging them would conflict. Unrelated histories
 * can't be merged, so the latter is null for them.
 */
export async function compareWithBase(
  git: Git,
  temporaryRoot: string,
  record: Pick<WorkspaceRecord, 'commonDir'>,
  head: string | null,
  base: string | null,
) {
  if (!head || !base) return { ahead: null, behind: null, conflictsWithBase: null };
  if (head === base) return { ahead: 0, behind: 0, conflictsWithBase: false };
  const place = { gitDir: record.commonDir as string };
  const ahead = countPlainCommits(place.gitDir, base, head);
  if (ahead !== undefined) return { ahead, behind: 0, conflictsWithBase: false };
  const behind = countPlainCommits(place.gitDir, head, base);
  if (behind !== undefined) return { ahead: 0, behind, conflictsWithBase: false };
  return compareByGit(git, temporaryRoot, place, head, base);
}

async function compareByGit(
  git: Git,
  temporaryRoot: string,
  place: { gitDir: string },
  head: string,
  base: string,
) {
  const counts = await git.text(
    ['rev-list', '--left-right', '--count', '--end-of-options', `${head}...${base}`],
    place,
  );
  const [ahead, behind] = counts.split('\t').map(Number) as [number, number];
  if (ahead === 0 || behind === 0) return { ahead, behind, conflictsWithBase: false };
  if (!(await git.succeeds(['merge-base', base, head], place)))
    return { ahead, behind, conflictsWithBase: null, isUnrelated: true };
  return { ahead, behind, conflictsWithBase: await findConflicts(git, temporaryRoot, place, base, head) };
}

async function findConflicts(
  git: Git,
  temporaryRoot: string,
  place: { gitDir: string },
  base: string,
  head: string,
): Promise<boolean> {
  return withScratchPlace(
    git,
    place,
    temporaryRoot,
    async scratch => (await mergeTrees(git, scratch, base, head)).conflicts.length > 0,
  );
}
