import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { readStatus } from '../../git/status.js';
import type { WorkTreePlace } from '../../git/work-tree/place.js';
import type { Inspection, InspectOptions, Presence } from '../backend.js';
import { findDirectoryPresence, presenceAlone } from '../presence.js';
import { measureDirectory } from '../size.js';
import { findCheckout } from './checkout.js';

/** A directory as it is now, with its checkout when the workspace was made inside one. */
export interface DirectPlace {
  readonly presence: Presence;
  readonly checkout: WorkTreePlace | null;
}

export async function findPlace(git: Git, record: WorkspaceRecord): Promise<DirectPlace> {
  const presence = await findDirectoryPresence(record.path);
  if (presence.kind !== 'present' || record.commonDir === null) return { presence, checkout: null };
  const checkout = await findCheckout(git, record.path);
  if (checkout?.commonDir === record.commonDir) return { presence, checkout };
  const found = checkout ? 'part of another repository' : 'no longer part of its repository';
  return { presence: { kind: 'replaced', found }, checkout: null };
}

export async function inspectDirect(
  git: Git,
  record: WorkspaceRecord,
  options: InspectOptions,
): Promise<Inspection> {
  const { presence, checkout } = await findPlace(git, record);
  if (presence.kind !== 'present' || options.presenceOnly) return presenceAlone(presence);
  return {
    ...presenceAlone(presence),
    ...(checkout ? await readCheckout(git, checkout, record.base.commit) : {}),
    sizeBytes: options.size ? await measureDirectory(record.path) : null,
  };
}

async function readCheckout(git: Git, checkout: WorkTreePlace, base: string | null) {
  const { gitDir, workTree } = checkout;
  const { branch, head, changes } = await readStatus(git, { gitDir, workTree });
  return { branch, head, changes, ...(await compareWithBase(git, checkout, head, base)) };
}

async function compareWithBase(
  git: Git,
  { gitDir }: WorkTreePlace,
  head: string | null,
  base: string | null,
) {
  if (!head || !base) return {};
  if (head === base) return { ahead: 0, behind: 0, conflictsWithBase: false };
  // 128: the user has rewritten history and the old commit is no longer there.
  const query = ['rev-list', '--left-right', '--count', '--end-of-options', `${head}...${base}`];
  const result = await git.run(query, { gitDir, answers: [0, 128] });
  if (result.exitCode !== 0) return {};
  const [ahead, behind] = result.stdout.toString('latin1').trim().split('\t').map(Number) as [number, number];
  return { ahead, behind, ...(behind === 0 ? { conflictsWithBase: false } : {}) };
}
