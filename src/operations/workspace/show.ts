import { isCarrelError } from '../../domain/error/error.js';
import type { RefusedConnection } from '../../domain/report/result.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { AutorunFile } from '../../domain/workspace/autorun-file.js';
import type { Risk } from '../../domain/workspace/risk.js';
import type { WorkspaceDetails, WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { FullInspection, Inspection } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { listParts, withRepositories } from '../group/group-records.js';
import { whileReady } from '../guard/while-ready.js';
import { assessParts } from '../removal/down.js';
import { listRefusedConnections } from '../sandbox/refused-connections.js';
import { findSnapshotRules } from '../settings/snapshot-rules.js';
import { findWorkspace, type WorkspaceQuery } from './find-workspace.js';
import { describeAll, describeDetails } from './list.js';
import { addIgnored, listAutorunFiles } from './list-autorun-files.js';
import { describeCheckpointFailure, describeWayBack } from './restore-hints.js';

export interface WorkspaceReport extends WorkspaceDetails {
  /** What removing it would lose. */
  readonly risks: readonly Risk[];
  /** Recent connections that its sandbox's network refused. */
  readonly refusedConnections: readonly RefusedConnection[];
  /** Added or changed files that tools run automatically. */
  readonly autorunFiles: readonly AutorunFile[];
  readonly snapshots: readonly Snapshot[];
}

/** All details of one workspace. */
export async function showWorkspace(context: Context, query: WorkspaceQuery): Promise<WorkspaceReport> {
  const record = await findWorkspace(context, query);
  return whileReady(context, record, () => describeWorkspace(context, record));
}

async function describeWorkspace(context: Context, record: WorkspaceRecord): Promise<WorkspaceReport> {
  const { inspection, risks: known, changed } = await inspect(context, record);
  const parts = await listParts(context, record);
  const isPresent = inspection?.presence.kind === 'present';
  const [risks, { autorunFiles, unlisted }] = await Promise.all([
    isOurs(inspection) ? listRisks(context, record, parts, known) : [],
    isPresent ? findAutorunFiles(context, record, changed) : NO_AUTORUN,
  ]);
  const snapshots = await context.store.snapshots.list({ workspaceId: record.id });
  const refusedConnections = await listRefusedConnections(context, record);
  const details = describeDetails(record, inspection, await describeWayBack(context, record, inspection));
  const others = parts.filter(({ id }) => id !== record.id);
  const [joined = details] = withRepositories([details], parts, await describeAll(context, others));
  return {
    ...joined,
    warnings: [...joined.warnings, ...describeCheckpointFailure(record), ...unlisted],
    risks,
    refusedConnections,
    autorunFiles,
    snapshots,
  };
}

/** Its files are read once where the backend can do that. A workspace that is being created or removed is not inspected. */
async function inspect(
  context: Pick<Context, 'backends' | 'loadConfig'>,
  record: WorkspaceRecord,
): Promise<Partial<FullInspection>> {
  if (record.status !== 'ready') return {};
  const backend = context.backends.of(record.backend);
  const { limits } = await findSnapshotRules(context, record);
  const full = await backend.inspectFully?.(record, limits, { size: true });
  if (full) return full;
  const [inspection] = await backend.inspect([record], { size: true });
  return inspection ? { inspection } : {};
}

/** Of another part whose files can't be assessed, the warnings say why. */
async function listRisks(
  context: Context,
  { id }: WorkspaceRecord,
  parts: readonly WorkspaceRecord[],
  own: readonly Risk[] | undefined,
): Promise<Risk[]> {
  const assessed = parts.map(part =>
    assessParts(context, [part], { isLook: true, known: part.id === id ? own : undefined }).catch(error => {
      if (part.id !== id && isCarrelError(error)) return [];
      throw error;
    }),
  );
  return (await Promise.all(assessed)).flat();
}

const isOurs = (inspection: Inspection | undefined): boolean =>
  inspection !== undefined && ['present', 'missing'].includes(inspection.presence.kind);

const NO_AUTORUN = { autorunFiles: [], unlisted: [] } as const;

/** A failure to list them is reported and hides nothing else. */
async function findAutorunFiles(
  context: Pick<Context, 'backends' | 'git'>,
  record: WorkspaceRecord,
  changed: readonly string[] | undefined,
) {
  try {
    const autorunFiles = changed
      ? await addIgnored(context, record, changed)
      : await listAutorunFiles(context, record);
    return { autorunFiles, unlisted: [] };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return {
      autorunFiles: [],
      unlisted: [`files that tools run automatically could not be listed: ${problem}`],
    };
  }
}
