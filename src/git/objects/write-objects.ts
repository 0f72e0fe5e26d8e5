import { closeSync, fstatSync, lstatSync, openSync, readSync, statfsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CarrelError, carrelError, errnoOf, isCarrelError } from '../../domain/error/error.js';
import { type BytePath, displayPath, quoteBytePath, toBytePath, toBytes } from '../byte-path.js';
import { findFullPlace } from '../disk/disk-full.js';
import { withScratchDirectory } from '../disk/scratch-directory.js';
import type { Git, GitOptions } from '../git.js';
import { removeUnfinishedObjects } from './unfinished-objects.js';

/** Objects are flushed to disk before anything that depends on them is deleted. */
const DURABLE = ['core.fsync=all'];

/** Names that NTFS or HFS+ treat as `.git` are kept out of our trees in other ways (see tree-path.ts). */
const ANY_NAME = ['core.protectNTFS=false', 'core.protectHFS=false'];

/**
 * Stores files byte for byte: no filter runs and no line ending changes. Returns one id per path, in order, and undefined
 * for a file deleted in the meantime. Paths are absolute and must name regular files, because links would be followed.
 * FILE_UNREADABLE, DISK_FULL.
 */
export async function writeFileBlobs(
  git: Git,
  store: string,
  paths: readonly BytePath[],
): Promise<(string | undefined)[]> {
  const ids: (string | undefined)[] = [];
  const startedAt = Date.now();
  let failedBefore = -1;
  while (ids.length < paths.length) {
    const { done, problem } = await hashFiles(git, store, paths.slice(ids.length));
    for (const id of done) ids.push(id);
    const failed = paths[ids.length];
    if (problem === undefined || failed === undefined) continue;
    if (!lstatSync(toBytes(failed), { throwIfNoEntry: false })) ids.push(undefined);
    else if (failedBefore === ids.length) {
      await removeUnfinishedObjects(store, startedAt);
      throw explainFailure(store, failed, problem);
    }
    // A file that changed while it was read is retried once.
    else failedBefore = ids.length;
  }
  return ids;
}

/** `hash-object` stops at the first file that it can't read, after printing the ids of those before. */
async function hashFiles(git: Git, store: string, paths: readonly BytePath[]) {
  const result = await git
    .run(['hash-object', '-w', '--no-filters', '--stdin-paths'], {
      gitDir: store,
      stdin: paths.map(path => `${quoteBytePath(path)}\n`).join(''),
      config: DURABLE,
      answers: [0, 128],
    })
    .catch(error => explainKill(error, paths));
  const done = result.stdout.toString('latin1').split('\n').slice(0, -1);
  return { done, problem: result.exitCode === 0 ? undefined : result.stderr.toString('utf8').trim() };
}

/**
 * git maps a file to read it. On a full tmpfs a hole in a mapped file can't be filled, and the kernel sends SIGBUS (seen with
 * `truncate -s 1m` on a full 2 MB tmpfs: exit status 135 from a shell).
 */
async function explainKill(error: unknown, paths: readonly BytePath[]): Promise<never> {
  if (!isCarrelError(error, 'GIT_FAILED') || error.details.exitCode !== null) throw error;
  const folders = new Set(paths.map(path => dirname(toBytes(path).toString('utf8'))));
  const full = await findFullPlace([...folders]);
  throw full === undefined ? error : carrelError('DISK_FULL', { path: full }, error);
}

/** git has one exit status for an unreadable file and an unwritable store; a test write distinguishes them. */
function explainFailure(store: string, path: BytePath, stderr: string): CarrelError {
  try {
    const file = openSync(toBytes(path), 'r');
    try {
      readSync(file, Buffer.alloc(1));
      const { bavail, bsize } = statfsSync(store);
      if (bavail * bsize < fstatSync(file).size + bsize) return carrelError('DISK_FULL', { path: store });
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const problem = errnoOf(error) ?? String(error);
    return carrelError('FILE_UNREADABLE', { path: displayPath(path), problem }, error);
  }
  return carrelError('GIT_FAILED', { command: 'git hash-object', exitCode: 128, stderr });
}

/** Stores contents that are not in a file, such as symbolic link targets. One id each, in order. */
export async function writeBlobs(
  git: Git,
  store: string,
  temporaryRoot: string,
  contents: readonly Buffer[],
): Promise<string[]> {
  return withScratchDirectory(temporaryRoot, async scratch => {
    const files = contents.map((_, index) => join(scratch, String(index)));
    for (const [index, file] of files.entries()) await writeFile(file, contents[index] ?? '');
    const ids = await writeFileBlobs(git, store, files.map(toBytePath));
    return ids.flatMap(id => id ?? []);
  });
}

export interface TreeFile {
  readonly path: BytePath;
  readonly mode: string;
  readonly id: string;
}

/**
 * Puts files into a scratch index and returns the tree. `removed` is applied first, so that a file may replace a directory
 * and vice versa.
 */
export async function writeTree(
  git: Git,
  store: string,
  indexFile: string,
  change: { readonly removed?: readonly TreeFile[]; readonly added: readonly TreeFile[] },
): Promise<string> {
  const options: GitOptions = {
    gitDir: store,
    indexFile,
    config: [...ANY_NAME, ...DURABLE, 'core.splitIndex=false'],
  };
  const removed = (change.removed ?? []).map(file => `0 ${'0'.repeat(file.id.length)}\t${file.path}\0`);
  const added = change.added.map(file => `${file.mode} ${file.id} 0\t${file.path}\0`);
  const stdin = toBytes([...removed, ...added].join(''));
  await git.run(['update-index', '--replace', '-z', '--index-info'], { ...options, stdin });
  // Objects that a partial clone has not fetched are known by name only.
  return git.text(['write-tree', '--missing-ok'], options);
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly at: Date;
}

/** Creates a commit as Carrel, so that it works on a machine where git has no identity. */
export async function writeCommit(git: Git, store: string, commit: NewCommit): Promise<string> {
  const parents = commit.parents.flatMap(parent => ['-p', parent]);
  return git.text(['commit-tree', ...parents, '-F', '-', commit.tree], {
    gitDir: store,
    stdin: Buffer.from(`${commit.message}\n`, 'utf8'),
    config: [...DURABLE, 'i18n.commitEncoding=UTF-8'],
    env: { ...identity('AUTHOR', commit.at), ...identity('COMMITTER', commit.at) },
  });
}

function identity(role: string, at: Date): Record<string, string> {
  return {
    [`GIT_${role}_NAME`]: 'Carrel',
    [`GIT_${role}_EMAIL`]: 'carrel@localhost',
    [`GIT_${role}_DATE`]: `@${Math.floor(at.getTime() / 1000)} +0000`,
  };
}
