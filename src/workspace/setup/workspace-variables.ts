import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { portVariables } from './ports.js';

/** Environment variables for commands in the workspace, in addition to the caller's. The record's own variables win. */
export function workspaceVariables(record: WorkspaceRecord): Record<string, string> {
  return {
    CARREL_WORKSPACE: record.name,
    CARREL_WORKSPACE_ID: record.id,
    CARREL_WORKSPACE_PATH: record.path,
    CARREL_REPOSITORY: record.repository,
    ...(record.branch === null ? {} : { CARREL_BRANCH: record.branch }),
    ...(record.base.commit === null ? {} : { CARREL_BASE_COMMIT: record.base.commit }),
    COMPOSE_PROJECT_NAME: composeProjectName(record),
    ...portVariables(record.ports),
    ...record.environment,
  };
}

/** Compose accepts lower-case letters, digits, `_` and `-`; the id distinguishes workspaces with the same name. */
function composeProjectName(record: WorkspaceRecord): string {
  const name = record.name.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '-');
  return `carrel-${name}-${record.id.slice(-6)}`;
}
