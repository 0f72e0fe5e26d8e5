import type { Workspace, WorkspaceRecord, WorkspaceStatus } from './workspace.js';

// Apart from workspace.ts so that moving a workspace does not load zod.

/** Who may move a workspace where. A removed workspace has no record; its snapshots and events remain. */
const transitions: Record<WorkspaceStatus, readonly WorkspaceStatus[]> = {
  creating: ['ready'],
  ready: ['removing'],
  removing: ['ready'],
};

export function canMove(from: WorkspaceStatus, to: WorkspaceStatus): boolean {
  return transitions[from].includes(to);
}

/** The public face of a record. */
export function toWorkspace(record: WorkspaceRecord): Workspace {
  const { repositoryId, commonDir, ownsBranch, operationId, template, environment, included, ...workspace } =
    record;
  return workspace;
}
