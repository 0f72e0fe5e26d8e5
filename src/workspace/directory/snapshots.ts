import { captureDirectory } from '../../git/snapshot/capture/directory-snapshot.js';
import { verifySnapshot } from '../../git/snapshot/verify/verify.js';
import type { Snapshotting } from '../backend.js';
import { requirePresent } from '../location/presence.js';
import { releaseRef } from '../snapshot/delete-ref.js';
import { snapshotRef } from '../snapshot/snapshot-ref.js';
import type { DirectoryBackendOptions } from './backend.js';
import { findBase } from './directory-base.js';
import { findPresence } from './registration.js';

/** Snapshots live in the vault; the parent of each is the base of its workspace. */
export function createDirectorySnapshots({
  git,
  vaultDir,
  temporaryRoot,
}: DirectoryBackendOptions): Snapshotting {
  return {
    place: (_, snapshotId) => ({ objectStore: vaultDir, ref: snapshotRef(snapshotId) }),
    capture: async (record, { snapshotId, message, limits, at, filesAt, privateHome: home, leftOut }) => {
      if (filesAt === undefined) requirePresent(record, await findPresence(vaultDir, record));
      const place = { objectStore: vaultDir, directory: filesAt ?? record.path };
      const parent = await findBase(git, vaultDir, record);
      return captureDirectory(git, place, {
        ref: snapshotRef(snapshotId),
        message,
        parent,
        leftOut,
        now: at,
        privateHome: home === undefined ? undefined : { directory: home, limits },
        temporaryRoot,
      });
    },
    verify: snapshot => verifySnapshot(git, snapshot),
    release: ({ objectStore, ref }) => releaseRef(git, objectStore, ref),
  };
}
