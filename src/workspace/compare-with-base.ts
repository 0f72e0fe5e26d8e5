import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Git } from '../git/git.js';
import { mergeTrees } from '../git/merge.js';
import { withScratchPlace } from '../git/scratch-place.js';

/** How far a workspace at `head` and its base have gone apart, and whether merging them would conflict. */
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
  const counts = await git.text(
    ['rev-list', '--left-right', '--count', '--end-of-options', `${head}...${base}`],
    place,
  );
  const [ahead, behind] = counts.split('\t').map(Number) as [number, number];
  const conflictsWithBase =
    ahead > 0 && behind > 0 && (await findConflicts(git, temporaryRoot, place, base, head));
  return { ahead, behind, conflictsWithBase };
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
