import { captureWorkTree } from '../../git/snapshot/capture/capture.js';
import type { Snapshotting } from '../backend.js';
import { listKeptCommits } from '../snapshot/kept-pins.js';
import { keepInRepository } from '../snapshot/snapshot-keeping.js';
import { snapshotRef } from '../snapshot/snapshot-ref.js';
import type { GitBackendOptions } from './backend.js';
import { requireCommonDir, worktreeGitDir } from './worktree-place.js';

/**
 * Snapshots of worktrees live in their repository, so that they outlive Carrel's own state, except for the part that git
 * must never push (see git/snapshot/kept-store.ts).
 */
export function createGitSnapshots({
  git,
  temporaryRoot,
  keptDir,
}: Pick<GitBackendOptions, 'git' | 'temporaryRoot' | 'keptDir'>): Snapshotting {
  return {
    place: (record, snapshotId) => ({ objectStore: requireCommonDir(record), ref: snapshotRef(snapshotId) }),
    capture: async (record, request) => {
      const { snapshotId, message, limits, at, filesAt, privateGitDir, privateHome, onKept, leftOut } =
        request;
      const place = { ...worktreeGitDir(record), workTree: filesAt ?? record.path, leftOut };
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
        keptDir,
        onKept,
        now: at,
        temporaryRoot,
      });
    },
    ...keepInRepository(git, keptDir),
  };
}
