import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import type { Backend, CreateHooks, CreateResult, Repository } from '../backend.js';
import { type Files, writeTree } from './file-tree.js';

/** What a backend's test file provides for one test; it also cleans up afterwards. */
export interface ContractPlace {
  readonly backend: Backend;
  readonly git: Git;
  /** A directory with the given files that workspaces can be made from: a repository with a commit, or a plain one. */
  readonly source: string;
  /** Path of the workspace. It does not exist, except for a backend that does not own its files: there it is `source`. */
  readonly path: string;
  /** An empty directory for the test's own use. */
  readonly scratch: string;
  /** Moves the files of the workspace to a path that does not exist, when that takes more than a rename. */
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

/** A recorded workspace whose files do not exist yet. */
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

/** The record of another workspace at the same path, for use after the first is removed. */
export async function recordSuccessor(subject: ContractSubject): Promise<ContractSubject> {
  return { ...subject, record: await describeWorkspace(subject, subject.repository, 'second') };
}

/** A ready record as the operations would create it. */
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

/** New files with unusual contents and names. */
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
  // APFS accepts only UTF-8 and treats both encodings of an accent as the same name.
  ...(process.platform === 'darwin'
    ? {}
    : { 'odd/e\xcc\x81': 'two code points', 'odd/\xff\xfe': 'not UTF-8', 'odd/link': { target: '\xff' } }),
};

/** Every kind of change that a workspace may have. */
export function makeEveryKindOfChange(path: string): void {
  writeTree(path, { ...EDITS, ...ADDITIONS });
}
