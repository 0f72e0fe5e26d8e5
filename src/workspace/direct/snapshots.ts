import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { captureWorkTree } from '../../git/snapshot/capture/capture.js';
import type { Snapshotting } from '../backend.js';
import { requirePresent } from '../location/presence.js';
import { keepInRepository } from '../snapshot/snapshot-keeping.js';
import { snapshotRef } from '../snapshot/snapshot-ref.js';
import { findPlace } from './inspect.js';

export interface DirectSnapshotOptions {
  readonly git: Git;
  readonly temporaryRoot: string;
  readonly keptDir: string;
}

/** Snapshots of the whole checkout around the directory, kept in its repository. */
export function createDirectSnapshots({ git, temporaryRoot, keptDir }: DirectSnapshotOptions): Snapshotting {
  return {
    place: (record, snapshotId) => ({ objectStore: requireCommonDir(record), ref: snapshotRef(snapshotId) }),
    capture: async (record, request) => {
      const { snapshotId, message, limits, at, onKept, privateGitDir, privateHome, leftOut } = request;
      requireCommonDir(record);
      const { presence, checkout } = await findPlace(git, record);
      requirePresent(record, presence);
      if (!checkout) throw withoutGit();
      const { branch, base } = record;
      return captureWorkTree(
        git,
        { ...checkout, leftOut },
        {
          ref: snapshotRef(snapshotId),
          message,
          limits,
          now: at,
          temporaryRoot,
          keptDir,
          onKept,
          ...(record.sandbox && { branch, commits: base.commit === null ? [] : [base.commit] }),
          privateGitDir,
          privateHome,
        },
      );
    },
    ...keepInRepository(git, keptDir),
  };
}

function requireCommonDir({ commonDir }: Pick<WorkspaceRecord, 'commonDir'>): string {
  if (commonDir === null) throw withoutGit();
  return commonDir;
}

const withoutGit = () =>
  carrelError('NOT_SUPPORTED', { what: 'be snapshotted outside of git', backend: 'direct' });
