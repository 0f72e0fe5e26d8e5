import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import type { Backend, CreateHooks, CreateResult, Repository } from '../backend.js';
import { type Files, writeTree } from './tree.js';

/** What a backend's test file provides for one test; it also sees to it that all is gone afterwards. */
export interface ContractPlace {
  readonly backend: Backend;
  readonly git: Git;
  /** A directory with the given files that workspaces can be made from: a repository with a commit, or a plain one. */
  readonly source: string;
  /** Where the workspace goes. It does not exist, but for a backend that does not own its files: there it is `source`. */
  readonly path: string;
  /** An empty directory for whatever a test needs. */
  readonly scratch: string;
  /** Moves the files of the workspace to a place that does not exist, where that takes more than a rename. */
  readonly takeAway?: ((path: string, to: string) => void) | undefined;
}

export type ContractSetup = (files: Files) => Promise<ContractPlace>;

/** Why a test about deleting is skipped. */
export const OWNS_NO_FILES = 'it deletes no files';

export const BASE_FILES: Files = {
  'a.txt': 'one\ntwo\nthree\n',
  'gone.txt': 'to be deleted\n',
  'run.sh': '#!/bin/sh\n',
  'dir/deep/b.txt': 'b\n',
  'windows.txt': 'one\r\ntwo\r\n',
};

export interface ContractSubject extends ContractPlace {
  readonly repository: Repository;
  readonly record: WorkspaceRecord;
}

/** A recorded workspace whose files are yet to be made. */
export async function recordWorkspace(setup: ContractSetup): Promise<ContractSubject> {
  const place = await setup(BASE_FILES);
  const repository = await place.backend.locate(place.source);
  return { ...place, repository, record: await describeWorkspace(place, repository, 'first') };
}

/** A workspace that is ready. */
export async function createWorkspace(setup: ContractSetup): Promise<ContractSubject> {
  const subject = await recordWorkspace(setup);
  await create(subject);
  return subject;
}

export async function create(
  { backend, record }: Pick<ContractSubject, 'backend' | 'record'>,
  hooks: Partial<CreateHooks> = {},
): Promise<CreateResult> {
  return backend.create(record, { onStep: async () => {}, exclusively: action => action(), ...hooks });
}

/** The record of another workspace at the same place, for after the first is gone. */
export async function succeed(subject: ContractSubject): Promise<ContractSubject> {
  return { ...subject, record: await describeWorkspace(subject, subject.repository, 'second') };
}

/** A record as the operations would make it, ready. */
export async function describeWorkspace(
  place: ContractPlace,
  repository: Repository,
  name: string,
): Promise<WorkspaceRecord> {
  const { branch, base } = await place.backend.resolve(repository, { branch: `carrel/${name}` });
  const now = new Date().toISOString();
  return {
    id: `ws_contract${name}`,
    name,
    repository: repository.root,
    repositoryId: repository.id,
    commonDir: repository.commonDir,
    backend: place.backend.name,
    runtime: 'host',
    isolation: { requested: 'worktree', effective: 'worktree', reason: null },
    path: place.path,
    branch,
    base,
    ownsBranch: branch !== null,
    status: 'ready',
    ports: [],
    createdAt: now,
    lastActivityAt: now,
    warnings: [],
    operationId: null,
    template: null,
    environment: {},
    included: [],
  };
}

/** Edits, a deletion, a mode and a file that becomes a link. */
export const EDITS: Files = {
  'a.txt': 'one\n2\nthree\n',
  'gone.txt': null,
  'run.sh': { content: '#!/bin/sh\n', mode: 0o755 },
  'dir/deep/b.txt': { target: '../../a.txt' },
  'windows.txt': 'one\r\ntwo\r\nthree\r\n',
};

/** New files with contents and names of all sorts. */
export const ADDITIONS: Files = {
  'new/binary.bin': Buffer.from([0, 1, 2, 255, 254, 0, 10, 13]),
  'new/empty': '',
  'new/no newline at the end': 'text',
  'new/dangling': { target: '/nonexistent' },
  'odd/-rf': 'a',
  'odd/:(top)x': 'b',
  'odd/*': 'c',
  'odd/new\nline': 'd',
  'odd/ space ': 'e',
  'odd/"quoted"\\': 'f',
  'odd/\xc3\xa9': 'one code point',
  'odd/a/b': 'g',
  'odd/a.b': 'h',
  // APFS takes only UTF-8, and both ways of writing an accent for the same name.
  ...(process.platform === 'darwin'
    ? {}
    : { 'odd/e\xcc\x81': 'two code points', 'odd/\xff\xfe': 'not UTF-8', 'odd/link': { target: '\xff' } }),
};

/** Changes of every kind that a workspace may see. */
export function makeMess(path: string): void {
  writeTree(path, { ...EDITS, ...ADDITIONS });
}
