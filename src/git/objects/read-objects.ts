import { carrelError } from '../../domain/error/error.js';
import type { Git } from '../git.js';
import { readLooseCommit, readLooseFile } from './loose-objects.js';

export interface ObjectInfo {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
}

/** The objects of the names, in order; undefined for missing ones. Nothing is fetched. */
export async function readObjectInfos(
  git: Git,
  store: string,
  names: readonly string[],
): Promise<(ObjectInfo | undefined)[]> {
  if (names.length === 0) return [];
  const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
  const output = await git.text(['cat-file', format], {
    gitDir: store,
    stdin: `${names.join('\n')}\n`,
    env: NO_FETCH,
  });
  return output.split('\n').map(parseInfo);
}

/** A partial clone would fetch objects that are only looked up. */
const NO_FETCH = { GIT_NO_LAZY_FETCH: '1' };

/** `<name> missing` and `<name> ambiguous` have two fields. */
function parseInfo(line: string): ObjectInfo | undefined {
  const [id, type, bytes] = line.split(' ');
  return id && type && bytes !== undefined ? { id, type, bytes: Number(bytes) } : undefined;
}

/** The content of a small file in a commit. SNAPSHOT_BROKEN when it is missing. */
export async function readBlob(git: Git, store: string, commit: string, path: string): Promise<Buffer> {
  const loose = readLooseFile(store, commit, path);
  if (loose) return loose;
  const result = await git.run(['cat-file', 'blob', `${commit}:${path}`], {
    gitDir: store,
    answers: [0, 128],
  });
  if (result.exitCode === 0) return result.stdout;
  throw carrelError('SNAPSHOT_BROKEN', { id: commit, problem: `${path} is missing` });
}

/** Parents of a commit; SNAPSHOT_BROKEN when there is no such commit. */
export async function readParents(git: Git, store: string, commit: string): Promise<readonly string[]> {
  const loose = readLooseCommit(store, commit);
  if (loose) return loose.parents;
  const result = await git.run(['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], {
    gitDir: store,
    answers: [0, 1, 128],
  });
  if (result.exitCode !== 0)
    throw carrelError('SNAPSHOT_BROKEN', { id: commit, problem: 'the commit is missing' });
  return (await git.text(['rev-parse', `${commit}^@`], { gitDir: store })).split('\n').filter(Boolean);
}
