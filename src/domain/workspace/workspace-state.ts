import type { Workspace, WorkspaceRecord, WorkspaceStatus } from './workspace.js';

// Separate from workspace.ts so that moving a workspace does not load zod.

/** The allowed changes of status. A removed workspace has no record; its snapshots and events remain. */
const transitions: Record<WorkspaceStatus, readonly WorkspaceStatus[]> = {
  creating: ['ready'],
  ready: ['removing'],
  removing: ['ready'],
};

export function canMove(from: WorkspaceStatus, to: WorkspaceStatus): boolean {
  return transitions[from].includes(to);
}

/** The public fields of a record. */
export function toWorkspace(record: WorkspaceRecord): Workspace {
  const {
    repositoryId,
    commonDir,
    ownsBranch,
    operationId,
    template,
    environment,
    included,
    folder,
    checkpoint,
    taskId,
    group,
    ...workspace
  } = record;
  return workspace;
}
