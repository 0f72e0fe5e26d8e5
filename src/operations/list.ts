import type { BackendName, WorkspaceDetails, WorkspaceRecord } from '../domain/workspace.js';
import { toWorkspace } from '../domain/workspace-state.js';
import type { Inspection } from '../workspace/backend.js';
import type { Context } from './context.js';
import { listRecords } from './find.js';

export interface ListInput {
  readonly repository: string;
  readonly all?: boolean | undefined;
  /** Recorded facts only: no look at the files. */
  readonly fast?: boolean | undefined;
}

/** The workspaces of a repository, or of all when there is none around, oldest first. */
export async function listWorkspaces(context: Context, input: ListInput): Promise<WorkspaceDetails[]> {
  const records = await listRecords(context, input);
  if (input.fast) return records.map(record => describeDetails(record, undefined));
  const inspections = await inspectAll(context, records);
  return records.map(record => describeDetails(record, inspections.get(record.id)));
}

/** One call per backend, so that it can share work among its workspaces. A workspace in the making is not looked at. */
async function inspectAll(
  context: Context,
  records: readonly WorkspaceRecord[],
): Promise<Map<string, Inspection>> {
  const ready = records.filter(record => record.status === 'ready');
  const names = [...new Set(ready.map(record => record.backend))];
  const inspected = await Promise.all(names.map(name => inspectBackend(context, name, ready)));
  return new Map(inspected.flat());
}

async function inspectBackend(context: Context, name: BackendName, records: readonly WorkspaceRecord[]) {
  const own = records.filter(record => record.backend === name);
  const inspections = await context.backends[name].inspect(own, { size: true });
  return own.map((record, index) => [record.id, inspections[index] as Inspection] as const);
}

export function describeDetails(
  record: WorkspaceRecord,
  inspection: Inspection | undefined,
): WorkspaceDetails {
  const workspace = toWorkspace(record);
  const {
    changes = null,
    ahead = null,
    behind = null,
    conflictsWithBase = null,
    sizeBytes = null,
  } = inspection ?? {};
  const warnings = [...workspace.warnings, ...describePresence(record, inspection)];
  return { ...workspace, warnings, changes, ahead, behind, conflictsWithBase, sizeBytes };
}

function describePresence(record: WorkspaceRecord, inspection: Inspection | undefined): string[] {
  switch (inspection?.presence.kind) {
    case 'missing':
      return [`the directory ${record.path} is gone`];
    case 'moved':
      return [`it was moved to ${inspection.presence.to}`];
    case 'replaced':
      return [`${record.path} is now ${inspection.presence.found}`];
    default:
      return [];
  }
}
