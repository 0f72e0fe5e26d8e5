import { existsSync } from 'node:fs';
import type { GroupMember, Workspace, WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Store } from '../../store/store.js';

/** All parts of a workspace, the first one first; only the workspace itself when it has one repository. */
export async function listParts(
  { store }: { readonly store: Pick<Store, 'workspaces'> },
  record: WorkspaceRecord,
): Promise<WorkspaceRecord[]> {
  if (!record.group) return [record];
  const parts = selectParts(await store.workspaces.list(), record.group.id);
  return parts.some(({ id }) => id === record.id) ? parts : [record];
}

/** The first part of a workspace, which stands for all of them; the workspace itself when it has one repository. */
export async function findFirstPart(
  { store }: { readonly store: Pick<Store, 'workspaces'> },
  record: WorkspaceRecord,
): Promise<WorkspaceRecord> {
  if (!record.group || record.group.id === record.id) return record;
  return (await store.workspaces.find(record.group.id)) ?? record;
}

function selectParts(records: readonly WorkspaceRecord[], groupId: string): WorkspaceRecord[] {
  const parts = records.filter(({ group }) => group?.id === groupId);
  return [...parts.filter(({ id }) => id === groupId), ...parts.filter(({ id }) => id !== groupId)];
}

/** Deleted, or moved and not found yet. */
export const isRepositoryGone = ({ commonDir }: WorkspaceRecord): boolean =>
  commonDir !== null && !existsSync(commonDir);

/** The alias of a part; of any other workspace its name. */
export const aliasOf = ({ group, name }: WorkspaceRecord): string => group?.alias ?? name;

/**
 * Adds to workspaces with several repositories which these are, and what is wrong with their other parts. `records` are those of
 * all repositories; `described` has the state of the parts, as far as it is known.
 */
export function withRepositories<T extends Workspace>(
  workspaces: readonly T[],
  records: readonly WorkspaceRecord[],
  described: readonly Workspace[] = [],
): T[] {
  const groups = new Map(records.map(({ id, group }) => [id, group?.id]));
  return workspaces.map(workspace => {
    const groupId = groups.get(workspace.id);
    if (groupId === undefined) return workspace;
    const parts = selectParts(records, groupId);
    const others = parts.filter(({ id }) => id !== workspace.id);
    const found = others.flatMap(part => {
      const state = described.find(({ id }) => id === part.id);
      return (state?.warnings ?? []).map(warning => `${aliasOf(part)}: ${warning}`);
    });
    return {
      ...workspace,
      warnings: [...workspace.warnings, ...found],
      repositories: parts.map(describeMember),
    };
  });
}

const describeMember = (record: WorkspaceRecord): GroupMember => {
  const { id, repository, path, branch } = record;
  return { alias: aliasOf(record), id, repository, path, branch };
};

/** For commands in a part: where the files of all parts are, as JSON by alias. */
export async function groupVariables(
  context: { readonly store: Pick<Store, 'workspaces'> },
  record: WorkspaceRecord,
): Promise<Record<string, string>> {
  if (!record.group) return {};
  const parts = await listParts(context, record);
  const paths = Object.fromEntries(parts.map(part => [aliasOf(part), part.path]));
  return { CARREL_REPOSITORIES: JSON.stringify(paths) };
}
