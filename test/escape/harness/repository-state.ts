import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint } from '../../helpers/fingerprint.js';

/** Everything about a repository that an agent must not be able to change. */
export interface RepositoryState {
  readonly fingerprint: Readonly<Record<string, string>>;
  /** All refs, Carrel's own among them, but for the workspace's branch. */
  readonly refs: readonly string[];
  /** Every file of the object store with its mode, size and number of links. */
  readonly objects: ReadonlyMap<string, string>;
}

/** git as the owner of the repository: it refuses to work for others. */
export type OwnersGit = (cwd: string, ...args: string[]) => string;

export function readState(repository: string, git: OwnersGit): RepositoryState {
  return {
    fingerprint: fingerprint(repository, git),
    refs: listRefs(repository, git),
    objects: listObjects(join(repository, '.git/objects')),
  };
}

/** What is wrong with a repository now, in words; objects may have been added. */
export function findHarm(repository: string, git: OwnersGit, before: RepositoryState): string[] {
  const now = tryToRead(repository, git);
  if (!now) return ['git cannot read it'];
  const parts = Object.keys(before.fingerprint).filter(
    part => before.fingerprint[part] !== now.fingerprint[part],
  );
  const objects = [...before.objects].filter(([path, stat]) => now.objects.get(path) !== stat);
  return [
    ...parts.map(part => `changed: ${part}`),
    ...before.refs.filter(ref => !now.refs.includes(ref)).map(ref => `lost: ${ref}`),
    ...now.refs.filter(ref => !before.refs.includes(ref)).map(ref => `new: ${ref}`),
    ...objects.map(([path]) => `object: ${path}`),
    ...complaints(repository, git),
  ];
}

function tryToRead(repository: string, git: OwnersGit): RepositoryState | undefined {
  try {
    return readState(repository, git);
  } catch {
    return undefined;
  }
}

function listRefs(repository: string, git: OwnersGit): string[] {
  const refs = git(repository, 'for-each-ref', '--format=%(objectname) %(refname)').split('\n');
  // Carrel itself takes a snapshot on request, and pins what it imported.
  return refs.filter(
    line => !/ refs\/(heads\/carrel\/a|carrel\/snapshots\/.*|carrel\/workspaces\/[^/]+\/taken)$/.test(line),
  );
}

function listObjects(store: string): Map<string, string> {
  const paths = readdirSync(store, { recursive: true }) as string[];
  return new Map(
    paths.flatMap(path => {
      const stat = lstatSync(join(store, path));
      return stat.isDirectory() ? [] : [[path, `${stat.mode.toString(8)} ${stat.size} ${stat.nlink}`]];
    }),
  );
}

function complaints(repository: string, git: OwnersGit): string[] {
  try {
    git(repository, 'fsck', '--no-dangling', '--no-progress', '--strict');
    return [];
  } catch {
    return ['fsck'];
  }
}
