import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import type { Removal } from '../backend.js';
import { asideOf, isAside, moveAside, moveBack, remainsOf, removeAside } from '../location/aside.js';
import { requireOurs } from '../location/presence.js';
import { releaseRef } from '../snapshot/delete-ref.js';
import { baseRef } from './directory-base.js';
import { findPresence, unregisterDirectory } from './registration.js';

export function createDirectoryRemoval(git: Git, vaultDir: string): Removal {
  return {
    hasRemains: async record =>
      (await isAside(record)) || (await findPresence(vaultDir, record)).kind === 'present',
    asideOf,
    setAside: record => setAside(vaultDir, record),
    putBack: moveBack,
    unregister: async record => {
      await releaseRef(git, vaultDir, baseRef(record));
      await unregisterDirectory(vaultDir, record);
      return { deletedBranch: null, keptBranch: null };
    },
    remainsOf,
    destroy: removeAside,
  };
}

async function setAside(vaultDir: string, record: WorkspaceRecord): Promise<void> {
  if (await isAside(record)) return;
  const presence = await findPresence(vaultDir, record);
  requireOurs(record, presence);
  if (presence.kind === 'present') await moveAside(record);
}
