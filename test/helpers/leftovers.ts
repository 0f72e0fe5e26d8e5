import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Carrel } from './carrel.js';
import { type Records, readRecords } from './records.js';
import { git, tryGit } from './repository.js';

export interface Surroundings {
  readonly repository: string;
  readonly carrel: Carrel;
  /** The temporary directory that Carrel was given, for itself alone. */
  readonly temporary: string;
}

/**
 * Everything in the world that no record accounts for, and everything in the records that the world lacks, one line
 * each. Empty when no Carrel process runs and none has left anything half done.
 */
export function findLeftovers(
  surroundings: Surroundings,
  records = readRecords(surroundings.carrel.stateDir),
): string[] {
  const refs = listOwnRefs(surroundings.repository);
  return [
    ...unsettledRecords(records),
    ...strayRefs(refs, records),
    ...strayRegistrations(surroundings.repository, records),
    ...strayFolders(surroundings.carrel, records),
    ...readdirSync(surroundings.temporary).map(name => `temporary: ${name}`),
    ...missingParts(new Set(refs), records),
    ...complaints(surroundings.repository),
  ];
}

function unsettledRecords(records: Records): string[] {
  const ids = new Set(records.workspaces.map(({ id }) => id));
  return [
    ...records.journal.map(({ kind, step }) => `journal: ${kind} at ${step}`),
    ...records.workspaces
      .filter(({ status }) => status !== 'ready')
      .map(({ name, status }) => `record: ${name} is ${status}`),
    ...records.snapshots
      .filter(({ commit }) => commit === null)
      .map(({ id }) => `record: snapshot ${id} is pending`),
    ...records.commands.map(({ id }) => `record: command ${id} is running`),
    ...records.remains.map(({ id }) => `record: remains ${id}`),
    ...records.ports
      .filter(port => !ids.has(port.workspace_id))
      .map(({ first }) => `ports: ${first} without a workspace`),
  ];
}

function strayRefs(refs: readonly string[], records: Records): string[] {
  const known = new Set([
    ...records.workspaces.flatMap(({ id, branch }) => [
      `refs/heads/${branch}`,
      `refs/carrel/workspaces/${id}/base`,
      `refs/carrel/workspaces/${id}/start`,
      `refs/carrel/workspaces/${id}/taken`,
    ]),
    ...records.snapshots.map(({ id }) => `refs/carrel/snapshots/${id}`),
  ]);
  return refs.filter(ref => !known.has(ref)).map(ref => `ref: ${ref}`);
}

function listOwnRefs(repository: string): string[] {
  const refs = git(repository, 'for-each-ref', '--format=%(refname)', 'refs/carrel', 'refs/heads/carrel');
  return refs.split('\n').filter(Boolean);
}

function strayRegistrations(repository: string, records: Records): string[] {
  const ids = new Set(records.workspaces.map(({ id }) => id));
  const admin = list(join(repository, '.git/worktrees')).filter(
    name => name.startsWith('ws_') && !ids.has(name),
  );
  const locks = (readdirSync(join(repository, '.git'), { recursive: true }) as string[]).filter(name =>
    name.endsWith('.lock'),
  );
  return [
    ...admin.map(name => `.git/worktrees/${name}`),
    ...strayRecordFiles(repository, records),
    ...locks.map(name => `.git/${name}`),
  ];
}

/**
 * In the cache there are workspaces and the folders above them, in the state directory the database, the vault, and what
 * belongs to sandboxed workspaces.
 */
/** Nothing but one file for each workspace that is recorded. */
function strayRecordFiles(repository: string, records: Records): string[] {
  const own = join(repository, '.git/carrel');
  if (!existsSync(own)) return [];
  const ids = new Set(records.workspaces.map(({ id }) => `${id}.json`));
  const files = list(join(own, 'records'));
  const stray = files.filter(name => !ids.has(name)).map(name => `.git/carrel/records/${name}`);
  const beside = list(own).filter(name => name !== 'records');
  if (files.length > 0 && beside.length === 0) return stray;
  return [`.git/carrel: ${[...list(own), ...files].join(', ')}`];
}

function strayFolders(carrel: Carrel, records: Records): string[] {
  const root = join(carrel.cacheDir, 'worktrees');
  const paths = new Set(records.workspaces.map(({ path }) => path));
  const folders = list(root).flatMap(project => {
    const inside = list(join(root, project)).map(name => join(root, project, name));
    return inside.length === 0 ? [join(root, project)] : inside.filter(path => !paths.has(path));
  });
  const isEmptyRoot = existsSync(root) && list(root).length === 0;
  const state = list(carrel.stateDir).filter(
    name => !/^(carrel\.db(-wal|-shm)?|vault\.git|kept|sandboxes|in-use)$/.test(name),
  );
  const ids = new Set(['.runtime', ...records.workspaces.map(({ id }) => id)]);
  const sandboxes = list(join(carrel.stateDir, 'sandboxes')).filter(name => !ids.has(name));
  return [
    ...folders.map(path => `folder: ${path}`),
    ...(isEmptyRoot ? [`folder: ${root}`] : []),
    ...state.map(name => `state: ${name}`),
    ...sandboxes.map(name => `sandbox: ${name}`),
  ];
}

function missingParts(refs: ReadonlySet<string>, records: Records): string[] {
  const workspaces = records.workspaces.filter(({ status }) => status === 'ready');
  return [
    ...workspaces.filter(({ path }) => !existsSync(join(path, '.git'))).map(({ path }) => `missing: ${path}`),
    ...workspaces
      .filter(({ branch }) => branch?.startsWith('carrel/') && !refs.has(`refs/heads/${branch}`))
      .map(({ branch }) => `missing: ${branch}`),
    ...workspaces
      .filter(({ id }) => !records.ports.some(port => port.workspace_id === id))
      .map(({ name }) => `missing: ports of ${name}`),
    ...records.snapshots
      .filter(({ id }) => !refs.has(`refs/carrel/snapshots/${id}`))
      .map(({ id }) => `missing: ref of ${id}`),
  ];
}

/** What git itself finds wrong. */
function complaints(repository: string): string[] {
  const fsck = tryGit(repository, 'fsck', '--no-dangling', '--no-progress');
  const prunable = git(repository, 'worktree', 'list', '--porcelain').match(/^prunable.*$/gm) ?? [];
  const lines = `${fsck.stdout}${fsck.stderr}`.split('\n').filter(Boolean);
  return [
    ...lines.map(line => `fsck: ${line}`),
    ...(fsck.status === 0 ? [] : [`fsck: exit status ${fsck.status}`]),
    ...prunable.map(line => `worktree: ${line}`),
  ];
}

const list = (directory: string): string[] => (existsSync(directory) ? readdirSync(directory) : []);
