import { dirname } from 'node:path';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { createInspectionMeter, INSPECTION_BUDGET } from '../../git/files/inspection-meter.js';
import type { Git } from '../../git/git.js';
import { findCheckout } from '../../git/repository/find-checkout.js';
import { readForeignStatus } from '../../git/work-tree/foreign-status.js';
import { readStatus } from '../../git/work-tree/work-tree-status.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import type { Inspection, InspectOptions, Presence } from '../backend.js';
import { measureDiskUsage } from '../files/directory-size.js';
import { findDirectoryPresence, presenceAlone } from '../location/presence.js';

/** The directory's current state, with its checkout when the workspace was created inside one. */
export interface DirectPlace {
  readonly presence: Presence;
  readonly checkout: WorkTreePlace | null;
}

/** Nothing that a sandbox wrote is searched: a part of a checkout belongs to the one above it. */
export async function findPlace(git: Git, record: WorkspaceRecord): Promise<DirectPlace> {
  const presence = await findDirectoryPresence(record.path);
  if (presence.kind !== 'present' || record.commonDir === null) return { presence, checkout: null };
  const isForeign = record.sandbox !== undefined;
  const isPart = isForeign && record.branch === null;
  const checkout = await findCheckout(git, isPart ? dirname(record.path) : record.path);
  if (checkout?.commonDir === record.commonDir) return { presence, checkout: { ...checkout, isForeign } };
  const found = checkout ? 'part of another repository' : 'no longer part of its repository';
  return { presence: { kind: 'replaced', found }, checkout: null };
}

interface Tools {
  readonly git: Git;
  readonly temporaryRoot: string;
}

export async function inspectDirect(
  tools: Tools,
  record: WorkspaceRecord,
  options: InspectOptions,
): Promise<Inspection> {
  const { presence, checkout } = await findPlace(tools.git, record);
  if (presence.kind !== 'present' || options.presenceOnly) return presenceAlone(presence);
  return {
    ...presenceAlone(presence),
    ...(checkout ? await readCheckout(tools, checkout, record.base.commit) : {}),
    sizeBytes: options.size ? await measureDiskUsage(record.path) : null,
  };
}

async function readCheckout({ git, temporaryRoot }: Tools, checkout: WorkTreePlace, base: string | null) {
  const { gitDir, workTree } = checkout;
  const meter = createInspectionMeter(workTree, INSPECTION_BUDGET);
  const { branch, head, changes, warning } = checkout.isForeign
    ? await readForeignStatus(git, { ...checkout, meter }, temporaryRoot)
    : await readStatus(git, { gitDir, workTree });
  return { branch, head, changes, warning, ...(await compareWithBase(git, checkout, head, base)) };
}

async function compareWithBase(
  git: Git,
  { gitDir }: WorkTreePlace,
  head: string | null,
  base: string | null,
) {
  if (!head || !base) return {};
  if (head === base) return { ahead: 0, behind: 0, conflictsWithBase: false };
  // 128: the user has rewritten history and the old commit is gone.
  const query = ['rev-list', '--left-right', '--count', '--end-of-options', `${head}...${base}`];
  const result = await git.run(query, { gitDir, answers: [0, 128] });
  if (result.exitCode !== 0) return {};
  const [ahead, behind] = result.stdout.toString('latin1').trim().split('\t').map(Number) as [number, number];
  return { ahead, behind, ...(behind === 0 ? { conflictsWithBase: false } : {}) };
}
