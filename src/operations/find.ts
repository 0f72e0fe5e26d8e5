import { carrelError, isCarrelError } from '../domain/error.js';
import { nearest } from '../domain/nearest.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Repository } from '../workspace/backend.js';
import type { Context } from './context.js';
import { locateRepository } from './locate-repository.js';

export interface WorkspaceQuery {
  /** A directory in the repository. */
  readonly repository: string;
  /** Name, id or unique prefix of the id. */
  readonly name: string;
  /** Whether ids of other repositories mean nothing. */
  readonly isHereOnly?: boolean | undefined;
}

/**
 * The workspace that is meant: by name in this repository, or by id or id prefix anywhere. Outside of any repository a
 * name will do when only one workspace has it; inside of one it never means another repository's.
 */
export async function findWorkspace(context: Context, query: WorkspaceQuery): Promise<WorkspaceRecord> {
  const repository = await findRepository(context, query.repository);
  const everywhere = await context.store.workspaces.list();
  const here = repository ? everywhere.filter(record => isOf(repository, record)) : [];
  const all = query.isHereOnly ? here : everywhere;
  const named = here.find(record => record.name === query.name);
  if (named) return named;
  const matches = all.filter(record => record.id === query.name);
  const candidates =
    matches.length > 0
      ? matches
      : all.filter(record => isPrefixOf(query.name, record) || (!repository && record.name === query.name));
  if (candidates.length === 1) return candidates[0] as WorkspaceRecord;
  if (candidates.length > 1) {
    throw carrelError('WORKSPACE_AMBIGUOUS', {
      name: query.name,
      matches: candidates.map(record => `${record.name} (${record.id})`),
    });
  }
  const known = (repository ? here : all).map(record => record.name);
  throw carrelError('WORKSPACE_NOT_FOUND', { name: query.name, known, nearest: nearest(query.name, known) });
}

/** Where a workspace is. One that is still being made, or on its way out, is nobody's to work in: WORKSPACE_BUSY. */
export async function findPath(context: Context, query: WorkspaceQuery): Promise<string> {
  const { name, status, path } = await findWorkspace(context, query);
  if (status !== 'ready') throw carrelError('WORKSPACE_BUSY', { name, status });
  return path;
}

export async function listNames(context: Context, query: { readonly repository: string }): Promise<string[]> {
  return (await listRecords(context, query)).map(record => record.name);
}

/** The records of the repository around a directory; of all when there is none around or `all` is set. Oldest first. */
export async function listRecords(
  context: Context,
  query: { readonly repository: string; readonly all?: boolean | undefined },
): Promise<WorkspaceRecord[]> {
  const repository = query.all ? undefined : await findRepository(context, query.repository);
  const records = await context.store.workspaces.list();
  return repository ? records.filter(record => isOf(repository, record)) : records;
}

/**
 * Whether a workspace or a snapshot is of the repository. A plain copy of its directory has no part in its git and so
 * another id.
 */
export const isOf = (
  repository: Repository,
  record: Pick<WorkspaceRecord, 'repositoryId' | 'repository'>,
): boolean => record.repositoryId === repository.id || record.repository === repository.root;

/** WORKSPACE_EXISTS when the repository has a workspace of that name. */
export async function requireFreeName(context: Context, repository: Repository, name: string): Promise<void> {
  const records = await context.store.workspaces.list();
  const taken = records.find(record => record.name === name && isOf(repository, record));
  if (taken) throw carrelError('WORKSPACE_EXISTS', { name, path: taken.path });
}

/**
 * The repository around a directory; undefined where the caller stands outside of any. A directory that the caller
 * named has to be in one: `carrel gc -R TYPO` must not mean all repositories. A missing git is still an error.
 */
export async function findRepository(context: Context, directory: string): Promise<Repository | undefined> {
  return locateRepository(context, directory).catch(error => {
    const isOutside = isCarrelError(error, 'NOT_A_REPOSITORY', 'BARE_REPOSITORY');
    if (isOutside && directory === context.cwd) return undefined;
    throw error;
  });
}

/** A prefix of fewer characters than this is taken for a mistyped name. */
const SHORTEST_PREFIX = 'ws_'.length + 4;

function isPrefixOf(text: string, record: WorkspaceRecord): boolean {
  return text.length >= SHORTEST_PREFIX && record.id.startsWith(text);
}
