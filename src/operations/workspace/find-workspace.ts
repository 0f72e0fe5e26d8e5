import { carrelError, isCarrelError } from '../../domain/error/error.js';
import { isSameProcess, NO_OWNER } from '../../domain/process-identity.js';
import { nearest } from '../../domain/text/nearest-word.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Repository } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { isOfFormer, reconcile } from '../recovery/reconcile.js';
import { locateRepository } from '../repository/locate-repository.js';

export interface WorkspaceQuery {
  /** A directory in the repository. */
  readonly repository: string;
  /** Name, id or unique prefix of the id. */
  readonly name: string;
  /** Whether ids of other repositories mean nothing. */
  readonly isHereOnly?: boolean | undefined;
}

/**
 * Finds a workspace: by name in this repository, or by id or id prefix anywhere. Outside a repository a name works when it is unique; inside
 * one it never means another repository's.
 */
export async function findWorkspace(context: Context, query: WorkspaceQuery): Promise<WorkspaceRecord> {
  await retryReleased(context);
  const repository = await findRepository(context, query.repository);
  if (repository) await reconcile(context, repository);
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

/** Where a workspace is. One that is being created or removed can't be used: WORKSPACE_BUSY. */
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
  const located = findRepository(context, query.repository);
  // Those of all repositories can be listed anywhere.
  const around = await (query.all ? located.catch(() => undefined) : located);
  if (around) await reconcile(context, around);
  const repository = query.all ? undefined : around;
  const records = await context.store.workspaces.list();
  return repository ? records.filter(record => isOf(repository, record)) : records;
}

/**
 * Whether a workspace or a snapshot belongs to the repository. A plain copy of its directory is not part of its git and so has another id.
 */
export const isOf = (
  repository: Repository,
  record: Pick<WorkspaceRecord, 'repositoryId' | 'repository'>,
): boolean =>
  record.repositoryId === repository.id || (record.repository === repository.root && !isOfFormer(record));

/** Loaded on demand: recovery finds workspaces itself. */
async function retryReleased(context: Context): Promise<void> {
  const entries = await context.store.journal.list();
  if (!entries.some(({ owner }) => isSameProcess(owner, NO_OWNER))) return;
  const { recoverReleased } = await import('../recovery/recover.js');
  await recoverReleased(context);
}

/** WORKSPACE_EXISTS when the repository has a workspace of that name. */
export async function requireFreeName(context: Context, repository: Repository, name: string): Promise<void> {
  await retryReleased(context);
  await reconcile(context, repository);
  const records = await context.store.workspaces.list();
  const taken = records.find(record => record.name === name && isOf(repository, record));
  if (taken) throw carrelError('WORKSPACE_EXISTS', { name, path: taken.path });
}

/**
 * The repository around a directory; undefined outside of any. A directory that the caller
 * named has to be in one: `carrel gc -R TYPO` must not mean all repositories. A missing git is still an error.
 */
export async function findRepository(context: Context, directory: string): Promise<Repository | undefined> {
  return locateRepository(context, directory).catch(error => {
    const isOutside = isCarrelError(error, 'NOT_A_REPOSITORY', 'BARE_REPOSITORY');
    if (isOutside && directory === context.cwd) return undefined;
    throw error;
  });
}

/** A prefix of fewer characters than this is treated as a mistyped name. */
const SHORTEST_PREFIX = 'ws_'.length + 4;

function isPrefixOf(text: string, record: WorkspaceRecord): boolean {
  return text.length >= SHORTEST_PREFIX && record.id.startsWith(text);
}
