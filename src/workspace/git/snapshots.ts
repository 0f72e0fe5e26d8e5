import { captureWorkTree } from '../../git/capture/capture.js';
import { verifySnapshot } from '../../git/capture/verify.js';
import type { Git } from '../../git/git.js';
import type { Snapshotting } from '../backend.js';
import { listKeptCommits } from '../kept-pins.js';
import { releaseRef } from '../release-ref.js';
import { snapshotRef } from '../snapshot-ref.js';
import { requireCommonDir, worktreeGitDir } from './place.js';

/** Snapshots of worktrees live in the repository that they are of, so that they outlive Carrel's own state. */
export function createGitSnapshots(git: Git, temporaryRoot: string): Snapshotting {
  return {
    place: (record, snapshotId) => ({ objectStore: requireCommonDir(record), ref: snapshotRef(snapshotId) }),
    capture: async (record, { snapshotId, message, limits, at, filesAt, privateGitDir, privateHome }) => {
      const place = { ...worktreeGitDir(record), workTree: filesAt ?? record.path };
      const { branch } = record;
      const kept = await listKeptCommits(git, place.commonDir, record.id);
      const commits = record.base.commit ? [record.base.commit, ...kept] : kept;
      return captureWorkTree(git, place, {
        ref: snapshotRef(snapshotId),
        message,
        limits,
        branch,
        commits,
        privateGitDir,
        privateHome,
        now: at,
        temporaryRoot,
      });
    },
    verify: snapshot => verifySnapshot(git, snapshot),
    release: ({ objectStore, ref }) => releaseRef(git, objectStore, ref),
  };
}
