import type { Git } from '../../git/git.js';
import { releaseKept } from '../../git/snapshot/kept-store.js';
import { verifySnapshot } from '../../git/snapshot/verify/verify.js';
import type { Snapshotting } from '../backend.js';
import { releaseRef } from './delete-ref.js';

/**
 * How snapshots in the user's repositories are verified and released: their second half is in Carrel's own store (see
 * git/snapshot/kept-store.ts), which is deleted last.
 */
export const keepInRepository = (
  git: Git,
  keptDir: string,
): Pick<Snapshotting, 'verify' | 'verifySent' | 'release'> => ({
  verify: ({ objectStore, ref }) => verifySnapshot(git, { objectStore, ref, keptDir }),
  verifySent: ({ objectStore, ref }) => verifySnapshot(git, { objectStore, ref }),
  release: async ({ objectStore, ref }) => {
    await releaseRef(git, objectStore, ref);
    await releaseKept(git, keptDir, ref);
  },
});
