import type { PlannedRepository, Stage, TaskRecord, TaskRepository } from '../../domain/task/task.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { aliasFor } from '../../operations/group/find-repositories.js';
import { aliasOf } from '../../operations/group/group-records.js';
import type { Repository } from '../../workspace/backend.js';

/** The commit of the branch in each of several repositories, by alias; empty for a workspace with one. */
export type PartCommits = Readonly<Record<string, string | null>>;

type Repositories = Pick<TaskRecord, 'repositories'>;

/** The repositories of a new task; absent when it has only its own. */
export function describeRepositories(first: Repository, others: readonly PlannedRepository[]): Repositories {
  if (others.length === 0) return {};
  const all = [{ alias: aliasFor(first), path: first.root }, ...others];
  const empty = { worktreePath: null, base: null, baseRef: null, head: null };
  return { repositories: all.map(({ alias, path }) => ({ alias, repository: path, ...empty })) };
}

/** Where the parts of its workspace are, and what the first ones have started from. */
export function withParts({ repositories }: Repositories, parts: readonly WorkspaceRecord[]): Repositories {
  return change(repositories, each => {
    const part = parts.find(({ group }) => group?.alias === each.alias);
    if (!part) return each;
    const { commit, ref } = part.base;
    const started = each.base === null ? { base: commit, baseRef: ref } : {};
    return { ...each, worktreePath: part.path, ...started };
  });
}

/** Where the branches are after a stage. */
export const withHeads = ({ repositories }: Repositories, commits: PartCommits): Repositories =>
  change(repositories, each => ({ ...each, head: commits[each.alias] ?? each.head }));

const change = (
  repositories: Repositories['repositories'],
  update: (each: TaskRepository) => TaskRepository,
): Repositories => (repositories ? { repositories: repositories.map(update) } : {});

/** Where the branch of a part was after the last stage, or where it started. */
export const findHead = ({ repositories }: Repositories, part: WorkspaceRecord): string | null =>
  repositories?.find(({ alias }) => alias === aliasOf(part))?.head ?? part.base.commit;

/** A commit for each of several parts. */
export const mapParts = (
  parts: readonly WorkspaceRecord[],
  find: (part: WorkspaceRecord) => string | null,
): PartCommits =>
  Object.fromEntries(parts.flatMap(part => (part.group ? [[part.group.alias, find(part)]] : [])));

/** What the record of a stage says about them. */
export const describeCommits = (commits: PartCommits): Pick<Stage, 'commits'> =>
  Object.keys(commits).length === 0 ? {} : { commits: { ...commits } };
