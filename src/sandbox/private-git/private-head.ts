import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isRefName } from '../../git/refs/ref-name.js';

/** The agent's position, read from the files of the private git directory. */
export interface PrivateHead {
  /**
   * HEAD; but the workspace's own branch while HEAD is detached, because that is the middle of something, such as a rebase or a
   * bisect, which ends on a branch again.
   */
  readonly source: string;
  /** The commit of the source; undefined when there is none, or when the files are not conclusive. */
  readonly commit: string | undefined;
  /** Nothing was committed there yet. */
  readonly isUnborn: boolean;
  /** The commit of the workspace's own branch, while HEAD is on another branch and commit. */
  readonly left?: string | undefined;
}

/**
 * No git runs: the agent writes this directory and would control it. What is read is only a hint; imported commits are checked
 * on arrival.
 */
export async function readPrivateHead(gitDir: string, branch: string): Promise<PrivateHead> {
  const head = await readHeadFile(join(gitDir, 'HEAD'));
  const own = `refs/heads/${branch}`;
  const ref = /^ref: (refs\/.+)$/.exec(head)?.[1];
  if (ref === undefined && !ID.test(head)) return { source: 'HEAD', commit: undefined, isUnborn: false };
  const found = await readPrivateRef(gitDir, own);
  if (ref !== undefined) {
    const at = ref === own ? found : await readPrivateRef(gitDir, ref);
    return { source: 'HEAD', ...at, left: found.commit === at.commit ? undefined : found.commit };
  }
  if (found.commit !== undefined) return { source: own, ...found };
  return { source: 'HEAD', commit: head, isUnborn: false };
}

/** Empty when it can't be read. */
export const readHeadFile = async (path: string): Promise<string> =>
  (await readPlainFile(path, SMALL))?.trim() ?? '';

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export async function readPrivateRef(
  gitDir: string,
  ref: string,
): Promise<Pick<PrivateHead, 'commit' | 'isUnborn'>> {
  const odd = { commit: undefined, isUnborn: false };
  if (!isRefName(ref)) return odd;
  const loose = await readPlainFile(join(gitDir, ref), SMALL);
  if (loose !== undefined) return ID.test(loose.trim()) ? { commit: loose.trim(), isUnborn: false } : odd;
  const id = (await readPackedRefs(gitDir)).get(ref);
  return id === undefined ? { ...odd, isUnborn: true } : { commit: id, isUnborn: false };
}

/** Those of `packed-refs`; unusual lines are skipped, and so is a file that is too large. */
export async function readPackedRefs(gitDir: string): Promise<Map<string, string>> {
  const packed = (await readPlainFile(join(gitDir, 'packed-refs'), MOST_PACKED)) ?? '';
  const lines = packed
    .split('\n')
    .map(line => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]);
  return new Map(lines.filter((pair): pair is [string, string] => ID.test(pair[1] ?? '')));
}

const SMALL = 4096;
/** A million refs, nearly all of which are the repository's own. */
export const MOST_PACKED = 64 * 1024 ** 2;

/** Undefined when it is missing, not a file, a link, or too long; never blocks on a FIFO. */
async function readPlainFile(path: string, limit: number): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (!file) return undefined;
  try {
    const info = await file.stat();
    if (!info.isFile() || info.size > limit) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(info.size), 0, info.size, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
