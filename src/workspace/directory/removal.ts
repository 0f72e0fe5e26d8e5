import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { asideOf, destroyAside, isAside, moveAside, moveBack, remainsOf } from '../aside.js';
import type { Removal } from '../backend.js';
import { requireOurs } from '../presence.js';
import { releaseRef } from '../release-ref.js';
import { baseRef } from './base.js';
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
    destroy: destroyAside,
  };
}

async function setAside(vaultDir: string, record: WorkspaceRecord): Promise<void> {
  if (await isAside(record)) return;
  const presence = await findPresence(vaultDir, record);
  requireOurs(record, presence);
  if (presence.kind === 'present') await moveAside(record);
}
