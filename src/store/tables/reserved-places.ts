import { type Kysely, type RawBuilder, sql } from 'kysely';
import { carrelError } from '../../domain/error/error.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { Schema } from '../rows/table-schema.js';

// A task reserves the name and the path of its workspace from its acceptance until the workspace exists. The
// reservation is the task's own record, so a task that has ended holds nothing.

/** A name in a repository, and a path that one workspace alone may have; null for a directory of the user. */
export interface Place {
  readonly repositoryId: string;
  readonly name: string;
  readonly path: string | null;
}

/** WORKSPACE_EXISTS when a task other than `self` has reserved the name or the path. */
export async function refuseReserved(db: Kysely<Schema>, place: Place, self = ''): Promise<void> {
  const { rows } = await sql<{ name: string; path: string }>`
    select ${field('workspaceName')} as name, ${field('worktreePath')} as path from tasks
    where ${isReserving} and id <> ${self} and (
      (repository_id = ${place.repositoryId} and ${field('workspaceName')} = ${place.name})
      or (${isFolder} and lower(${field('worktreePath')}) = lower(${place.path}))
    ) limit 1`.execute(db);
  if (rows[0]) throw carrelError('WORKSPACE_EXISTS', rows[0]);
}

/** The paths that tasks have reserved. */
export async function listReservedPaths(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select ${field('worktreePath')} as path from tasks where ${isReserving} and ${isFolder}`.execute(db);
  return rows.map(({ path }) => path);
}

/** The place that a task reserves; undefined for one that has its workspace, has ended, or was created by an earlier version. */
export function reservedPlaceOf(task: TaskRecord): Place | undefined {
  const { repositoryId, workspaceId, workspaceName: name, worktreePath, workspace, status } = task;
  if (workspaceId !== null || name === null || worktreePath === null) return undefined;
  if (!RESERVING.some(each => each === status)) return undefined;
  return { repositoryId, name, path: workspace?.strategy === 'none' ? null : worktreePath };
}

const RESERVING = ['waiting', 'running', 'validating'] as const;

const field = (name: string): RawBuilder<string> =>
  sql<string>`json_extract(details, ${sql.lit(`$.${name}`)})`;

const isReserving = sql<boolean>`status in (${sql.join(RESERVING.map(each => sql.lit(each)))})
  and ${field('workspaceId')} is null and ${field('worktreePath')} is not null`;

/** Not the user's own checkout, which any number of tasks may share. */
const isFolder = sql<boolean>`coalesce(${field('workspace.strategy')}, '') <> 'none'`;
