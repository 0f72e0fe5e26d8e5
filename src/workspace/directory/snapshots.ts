import { captureDirectory } from '../../git/capture/directory.js';
import { verifySnapshot } from '../../git/capture/verify.js';
import type { Snapshotting } from '../backend.js';
import { requirePresent } from '../presence.js';
import { releaseRef } from '../release-ref.js';
import { snapshotRef } from '../snapshot-ref.js';
import type { DirectoryBackendOptions } from './backend.js';
import { findBase } from './base.js';
import { findPresence } from './registration.js';

/** Snapshots live in the vault; the parent of each is the base of its workspace. */
export function createDirectorySnapshots({
  git,
  vaultDir,
  temporaryRoot,
}: DirectoryBackendOptions): Snapshotting {
  return {
    place: (_, snapshotId) => ({ objectStore: vaultDir, ref: snapshotRef(snapshotId) }),
    capture: async (record, { snapshotId, message, limits, at, filesAt, privateHome: home }) => {
      if (filesAt === undefined) requirePresent(record, await findPresence(vaultDir, record));
      const place = { objectStore: vaultDir, directory: filesAt ?? record.path };
      const parent = await findBase(git, vaultDir, record);
      return captureDirectory(git, place, {
        ref: snapshotRef(snapshotId),
        message,
        parent,
        now: at,
        privateHome: home === undefined ? undefined : { directory: home, limits },
        temporaryRoot,
      });
    },
    verify: snapshot => verifySnapshot(git, snapshot),
    release: ({ objectStore, ref }) => releaseRef(git, objectStore, ref),
  };
}
