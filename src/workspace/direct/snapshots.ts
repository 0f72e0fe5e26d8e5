import { carrelError } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { captureWorkTree } from '../../git/capture/capture.js';
import { verifySnapshot } from '../../git/capture/verify.js';
import type { Git } from '../../git/git.js';
import type { Snapshotting } from '../backend.js';
import { requirePresent } from '../presence.js';
import { releaseRef } from '../release-ref.js';
import { snapshotRef } from '../snapshot-ref.js';
import { findPlace } from './inspect.js';

export interface DirectSnapshotOptions {
  readonly git: Git;
  readonly temporaryRoot: string;
}

/** Snapshots of the whole checkout that the directory lies in, kept in its repository. */
export function createDirectSnapshots({ git, temporaryRoot }: DirectSnapshotOptions): Snapshotting {
  return {
    place: (record, snapshotId) => ({ objectStore: requireCommonDir(record), ref: snapshotRef(snapshotId) }),
    capture: async (record, { snapshotId, message, limits, at }) => {
      requireCommonDir(record);
      const { presence, checkout } = await findPlace(git, record);
      requirePresent(record, presence);
      if (!checkout) throw withoutGit();
      const request = { ref: snapshotRef(snapshotId), message, limits, now: at, temporaryRoot };
      return captureWorkTree(git, checkout, request);
    },
    verify: snapshot => verifySnapshot(git, snapshot),
    release: ({ objectStore, ref }) => releaseRef(git, objectStore, ref),
  };
}

function requireCommonDir({ commonDir }: Pick<WorkspaceRecord, 'commonDir'>): string {
  if (commonDir === null) throw withoutGit();
  return commonDir;
}

const withoutGit = () =>
  carrelError('NOT_SUPPORTED', { what: 'be snapshotted outside of git', backend: 'direct' });
