import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { isRefName } from '../git/ref-name.js';

/** Where the agent stands, as the files of the private git directory say it. */
export interface PrivateHead {
  /**
   * HEAD; but the workspace's own branch while HEAD is at no branch, because that is the middle of something, such as a
   * rebase or a bisection, which ends at a branch again.
   */
  readonly source: string;
  /** What the source stands at; undefined when it stands at nothing, or when the files do not say it plainly. */
  readonly commit: string | undefined;
  /** Nothing was committed there yet. */
  readonly isUnborn: boolean;
  /** What the workspace's own branch stands at, while HEAD is at another one and elsewhere. */
  readonly left?: string | undefined;
}

/**
 * No git runs: whoever writes this directory would tell it what to do. What is read is a hint and nothing more; what
 * comes back is judged when it is there.
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

/** Those of `packed-refs`; lines that are not plain are passed over, and so is a file that is too large. */
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

/** Undefined for what is not there, is no file, is a link, or is longer; never waits, as a FIFO would make us. */
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
