import { formatList } from '../../domain/error/catalog/catalog-entry.js';
import { createRisk, type Risk, type RiskKind } from '../../domain/workspace/risk.js';
import type { Changes, WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { type BytePath, displayPath } from '../../git/byte-path.js';
import type { Inspection, InspectOptions } from '../backend.js';
import { measureDiskUsage } from '../files/directory-size.js';
import { presenceAlone, requireOurs } from '../location/presence.js';
import { findFileRisks } from '../work/file-risks.js';
import type { DirectoryBackendOptions } from './backend.js';
import { compareWithBase, type FileChanges, listChanges } from './directory-changes.js';
import { findPresence } from './registration.js';

export async function inspectCopy(
  options: DirectoryBackendOptions,
  record: WorkspaceRecord,
  { size, presenceOnly }: InspectOptions,
): Promise<Inspection> {
  const presence = await findPresence(options.vaultDir, record);
  if (presence.kind !== 'present' || presenceOnly) return presenceAlone(presence);
  return {
    ...presenceAlone(presence),
    changes: await countChanges(options, record),
    sizeBytes: size ? await measureDiskUsage(record.path) : null,
  };
}

async function countChanges(options: DirectoryBackendOptions, record: WorkspaceRecord): Promise<Changes> {
  const { changed, added } = await findChanges(options, record);
  return { staged: 0, unstaged: changed.length, untracked: added.length, conflicted: 0 };
}

/** Any difference from the base would be lost. */
export async function findCopyRisks(
  options: DirectoryBackendOptions,
  record: WorkspaceRecord,
): Promise<Risk[]> {
  const presence = await findPresence(options.vaultDir, record);
  requireOurs(record, presence);
  if (presence.kind === 'missing') return [];
  return findFileRisks(async () => {
    const { changed, added } = await findChanges(options, record);
    return [...fileRisk('changes', 'changes in', changed), ...fileRisk('untracked', 'new files:', added)];
  });
}

const findChanges = (options: DirectoryBackendOptions, record: WorkspaceRecord): Promise<FileChanges> =>
  compareWithBase(options, record, async comparison => listChanges(comparison));

function fileRisk(kind: RiskKind, text: string, paths: readonly BytePath[]): Risk[] {
  if (paths.length === 0) return [];
  const items = paths.map(displayPath);
  return [createRisk(kind, `${text} ${formatList(items, 3)}`, items)];
}
