import type { WorkspaceRecord } from '../domain/workspace.js';
import { portVariables } from './ports.js';

/** What a command in the workspace finds in its environment beyond the caller's. The record's own variables win. */
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

/** Compose takes lower-case letters, digits, `_` and `-`; the id keeps workspaces of one name apart. */
function composeProjectName(record: WorkspaceRecord): string {
  const name = record.name.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '-');
  return `carrel-${name}-${record.id.slice(-6)}`;
}
