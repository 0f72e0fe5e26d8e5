import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { carrelError, ignoreMissing, isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readRef } from '../../git/refs/refs.js';
import { adminDirOf } from '../../git/repository/linked-worktree.js';
import { isMarkedForeign } from '../../workspace/location/foreign-mark.js';
import { type RecordFile, readRecordFile } from '../../workspace/location/record-file.js';
import type { Context } from '../context.js';
import type { GitRepository } from '../repository/find-unrecorded.js';
import { keepRecord } from '../repository/kept-record.js';
import { resolveIsolation } from '../settings/resolve-isolation.js';
import { applyTemplate } from '../settings/workspace-settings.js';

/** Rebuilds the record of a workspace: from its record file, or from git's data. Returns a message. */
export async function rebuildWorkspace(
  context: Context,
  repository: GitRepository,
  id: string,
): Promise<string> {
  const { commonDir, root, id: repositoryId } = repository;
  const file = await readRecordFile(commonDir, id);
  if (file && isElsewhere(context, file))
    return `left ${file.record.name} alone: it is recorded in the state directory ${file.stateDir}`;
  const described = file?.record ?? (await describeByGit(context, repository, id));
  const path = (await readRegisteredPath(commonDir, id)) ?? described.path;
  const record = await insert(context, {
    ...described,
    ...{ id, path, repository: root, repositoryId, commonDir },
  });
  if (!file) await keepRecord(context, record);
  const how = file ? 'from its record in the repository' : "from git's data";
  return `rebuilt the workspace ${record.name} (${record.path}) ${how}`;
}

/** Rebuilds the record of a plain copy, which only the vault knows. */
export async function rebuildCopy(
  context: Pick<Context, 'store' | 'backends' | 'customBackends' | 'now'>,
  vault: string,
  id: string,
): Promise<string> {
  const file = await readRecordFile(vault, id);
  if (!file) throw carrelError('INTERNAL', { problem: `the record file of ${id} can't be read` });
  const { name, path } = await insert(context, file.record);
  return `rebuilt the workspace ${name} (${path}) from its record in the vault`;
}

/** Another existing state directory has it. */
const isElsewhere = ({ places }: Pick<Context, 'places'>, { stateDir }: RecordFile): boolean =>
  stateDir !== places.stateDir && existsSync(join(stateDir, 'carrel.db'));

/** Counts as used now for cleanup: its last use is unknown. */
async function insert(
  context: Pick<Context, 'store' | 'backends' | 'customBackends' | 'now'>,
  draft: WorkspaceRecord,
): Promise<WorkspaceRecord> {
  const { store, backends, now } = context;
  const { id, repositoryId, name, path, branch } = draft;
  const [first] = draft.ports;
  const ports = first !== undefined && (await store.ports.claim(first, id)) ? draft.ports : [];
  const at = new Date(now()).toISOString();
  const record = { ...draft, ports, status: 'ready', operationId: null, lastActivityAt: at } as const;
  const events = [
    { type: 'workspace.rebuilt', repositoryId, workspaceId: id, data: { name, path, branch } },
  ] as const;
  const inserted = await store.workspaces.insert(record, events).then(
    () => record,
    async error => {
      if (!isCarrelError(error, 'WORKSPACE_EXISTS')) throw error;
      const renamed = { ...record, name: `${name}-${id.slice(-4)}` };
      await store.workspaces.insert(renamed, events);
      return renamed;
    },
  );
  // A removal may have been running when the database was lost: if its snapshot was not finished, the files are put back.
  await context.customBackends.prepare([record]);
  const { removal } = backends.of(record.backend);
  if (!existsSync(path) && existsSync(removal.asideOf(inserted))) await removal.putBack(inserted);
  return inserted;
}

/** Of a worktree that an earlier Carrel made, without a record file. Unknown settings get the strictest value. */
async function describeByGit(
  context: Pick<Context, 'git' | 'sandboxes' | 'places' | 'environment' | 'loadConfig'>,
  repository: GitRepository,
  id: string,
): Promise<WorkspaceRecord> {
  const { commonDir, root, id: repositoryId } = repository;
  const gitDir = adminDirOf({ commonDir, id });
  const path = await readRegisteredPath(commonDir, id);
  if (path === undefined)
    throw carrelError('INTERNAL', { problem: `git does not know where the files of ${id} are` });
  const pin = (name: string) =>
    readRef(context.git, { gitDir: commonDir }, `refs/carrel/workspaces/${id}/${name}`);
  const head = (await readFile(join(gitDir, 'HEAD'), 'utf8')).trim();
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null;
  const createdAt = statSync(join(gitDir, 'gitdir')).mtime.toISOString();
  const isSandboxed =
    (await isMarkedForeign(gitDir)) || existsSync(join(context.places.stateDir, 'sandboxes', id));
  return {
    id,
    name: basename(path),
    ...{ repository: root, repositoryId, commonDir, path, branch },
    backend: 'git',
    ...(await describeIsolation(context, repository, isSandboxed)),
    base: { ref: null, commit: (await pin('base')) ?? null },
    ownsBranch: branch !== null && (await pin('start')) !== undefined,
    status: 'ready',
    operationId: null,
    ports: [],
    createdAt,
    lastActivityAt: createdAt,
    warnings: ["its record was lost and rebuilt from git's data"],
    template: null,
    environment: {},
    included: [],
  };
}

/** A sandboxed workspace stays sandboxed, or is not rebuilt. */
async function describeIsolation(
  context: Pick<Context, 'sandboxes' | 'places' | 'environment' | 'loadConfig'>,
  repository: GitRepository,
  isSandboxed: boolean,
): Promise<Pick<WorkspaceRecord, 'isolation' | 'runtime' | 'sandbox'>> {
  if (!isSandboxed)
    return { isolation: { requested: 'worktree', effective: 'worktree', reason: null }, runtime: 'host' };
  const settings = await applyTemplate(context, repository, undefined);
  const request = { isolation: 'full', strict: true } as const;
  const { runtime, isolation } = await resolveIsolation(context, request, settings, 'git');
  return { runtime, isolation, sandbox: settings.sandbox };
}

/** Where git knows the worktree to be. */
async function readRegisteredPath(commonDir: string, id: string): Promise<string | undefined> {
  const admin = adminDirOf({ commonDir, id });
  const pointer = await readFile(join(admin, 'gitdir'), 'utf8').catch(ignoreMissing);
  return pointer?.trim() ? dirname(resolve(admin, pointer.trim())) : undefined;
}
