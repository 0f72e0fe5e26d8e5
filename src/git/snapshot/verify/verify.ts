import { isCarrelError } from '../../../domain/error/error.js';
import type { Git } from '../../git.js';
import { readParents } from '../../objects/read-objects.js';
import { resolveCommit } from '../../refs/refs.js';
import { isKept } from '../kept-store.js';
import { readSnapshotMeta } from '../snapshot-meta.js';

export interface VerifyRequest {
  readonly objectStore: string;
  readonly ref: string;
  /** Without one, the separately stored part (see kept-store.ts) is not checked. */
  readonly keptDir?: string | undefined;
}

/**
 * The commit of a snapshot when its ref, all objects that it adds to the earlier history and the separately stored part
 * exist; undefined otherwise. Checks that objects exist, not every byte of them; that is `git fsck`.
 */
export async function verifySnapshot(git: Git, snapshot: VerifyRequest): Promise<string | undefined> {
  const at = { gitDir: snapshot.objectStore };
  try {
    const commit = await resolveCommit(git, at, snapshot.ref);
    if (commit === undefined) return undefined;
    const parents = await readParents(git, snapshot.objectStore, commit);
    // Of a work tree's snapshot the first of three parents is HEAD, which the repository already has.
    const known = parents.length > 2 ? [`^${parents[0]}`] : [];
    const walk = ['rev-list', '--objects', '--quiet', '--missing=allow-promisor', commit, ...known];
    const result = await git.run(walk, { ...at, answers: [0, 128] });
    if (result.exitCode !== 0) return undefined;
    const isWhole = parents.length < 2 || (await isApartWhole(git, snapshot, commit));
    return isWhole ? commit : undefined;
  } catch (error) {
    if (isCarrelError(error, 'SNAPSHOT_BROKEN', 'GIT_FAILED')) return undefined;
    throw error;
  }
}

/** A plain directory's snapshot, with at most one parent, has no separately stored part. */
async function isApartWhole(git: Git, { objectStore, ref, keptDir }: VerifyRequest, commit: string) {
  if (keptDir === undefined) return true;
  const { kept } = await readSnapshotMeta(git, objectStore, commit);
  return kept === undefined || isKept(git, keptDir, ref, kept);
}
