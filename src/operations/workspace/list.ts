import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BackendName, WorkspaceDetails, WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { toWorkspace } from '../../domain/workspace/workspace-state.js';
import type { Inspection } from '../../workspace/backend.js';
import { inspectionOfFailure } from '../../workspace/location/presence.js';
import type { Context } from '../context.js';
import { isRepositoryGone, withRepositories } from '../group/group-records.js';
import { listRecords } from './find-workspace.js';
import { describeWayBack } from './restore-hints.js';

export interface ListInput {
  readonly repository: string;
  readonly all?: boolean | undefined;
  /** Recorded facts only: the files are not read. */
  readonly fast?: boolean | undefined;
}

/** The workspaces of a repository, or of all outside of one, oldest first. */
export async function listWorkspaces(context: Context, input: ListInput): Promise<WorkspaceDetails[]> {
  const records = await listRecords(context, input);
  if (context.store.isReadOnly)
    context.narrate(
      `warning: the disk of ${context.places.stateDir} is full; until there is free space, Carrel can only read`,
    );
  const describe = async (some: readonly WorkspaceRecord[]) =>
    input.fast ? some.map(record => describeDetails(record, undefined)) : describeAll(context, some);
  if (!records.some(({ group }) => group)) return describe(records);
  const all = await context.store.workspaces.list();
  const groups = new Set(records.map(({ group }) => group?.id));
  const shown = new Set(records.map(({ id }) => id));
  const others = all.filter(({ id, group }) => group && groups.has(group.id) && !shown.has(id));
  const [listed, elsewhere] = [await describe(records), await describe(others)];
  return withRepositories(listed, all, [...listed, ...elsewhere]);
}

/** With the state of their files. */
export async function describeAll(
  context: Context,
  records: readonly WorkspaceRecord[],
): Promise<WorkspaceDetails[]> {
  const inspections = await inspectAll(context, records);
  return Promise.all(
    records.map(async record => {
      const inspection = inspections.get(record.id);
      return describeDetails(record, inspection, await describeWayBack(context, record, inspection));
    }),
  );
}

/** One call per backend, so that it can share work among its workspaces. A workspace that is being created is not inspected. */
async function inspectAll(
  context: Pick<Context, 'backends'>,
  records: readonly WorkspaceRecord[],
): Promise<Map<string, Inspection>> {
  const ready = records.filter(record => record.status === 'ready');
  const names = [...new Set(ready.map(record => record.backend))];
  const inspected = await Promise.all(names.map(name => inspectBackend(context, name, ready)));
  return new Map(inspected.flat());
}

async function inspectBackend(
  context: Pick<Context, 'backends'>,
  name: BackendName,
  records: readonly WorkspaceRecord[],
) {
  const own = records.filter(record => record.backend === name);
  const inspections = await inspectOrMarkUnknown(context, name, own);
  return own.map((record, index) => [record.id, inspections[index] as Inspection] as const);
}

/** When a backend fails completely, because its program is gone, its workspaces are still listed. */
async function inspectOrMarkUnknown(
  context: Pick<Context, 'backends'>,
  name: BackendName,
  records: readonly WorkspaceRecord[],
): Promise<Inspection[]> {
  try {
    return await context.backends.of(name).inspect(records, { size: true });
  } catch (failure) {
    const unknown = await inspectionOfFailure(failure, async () => ({ kind: 'present' }));
    return records.map(() => unknown);
  }
}

export function describeDetails(
  record: WorkspaceRecord,
  inspection: Inspection | undefined,
  wayBack: readonly string[] = [],
): WorkspaceDetails {
  const workspace = toWorkspace(record);
  const {
    changes = null,
    ahead = null,
    behind = null,
    conflictsWithBase = null,
    sizeBytes = null,
  } = inspection ?? {};
  const warnings = [...workspace.warnings, ...describeInspection(record, inspection), ...wayBack];
  return { ...workspace, warnings, changes, ahead, behind, conflictsWithBase, sizeBytes };
}

function describeInspection(record: WorkspaceRecord, inspection: Inspection | undefined): string[] {
  const base = record.base.ref ?? 'its base';
  return [
    ...describePresence(record, inspection),
    ...(inspection?.isUnrelated ? [`its history shares no commit with ${base}`] : []),
    ...(inspection?.warning ? [`git could not read all files: ${inspection.warning}`] : []),
    ...(inspection?.problem ? [`its files can't be read: ${inspection.problem.message}`] : []),
  ];
}

function describePresence(record: WorkspaceRecord, inspection: Inspection | undefined): string[] {
  if (inspection && isRepositoryGone(record)) return [`its repository ${record.repository} is gone`];
  switch (inspection?.presence.kind) {
    case 'missing':
      return [
        existsSync(dirname(record.path))
          ? `the directory ${record.path} is gone`
          : `the directory ${record.path} is gone, with its parent folder; its disk may not be mounted`,
      ];
    case 'moved':
      return [`it was moved to ${inspection.presence.to}`];
    case 'replaced':
      return [`${record.path} is now ${inspection.presence.found}`];
    default:
      return [];
  }
}
