import { createHash, type Hash } from 'node:crypto';
import type { Git } from '../../git.js';

/** An object that does not match its id, with the problem as text. */
export interface BadObject {
  readonly id: string;
  readonly problem: string;
}

/**
 * Reads every object whole and compares its hash with its id, which git does not do when it reads one. git stops at an
 * object that it can't unpack: that one is noted, and it is started again after it.
 */
export async function hashObjects(
  git: Git,
  gitDir: string,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<BadObject[]> {
  const bad: BadObject[] = [];
  for (let at = 0; at < ids.length; ) {
    signal?.throwIfAborted();
    const reader = createBatchReader(ids.slice(at));
    const { exitCode } = await git.run(['cat-file', '--batch'], {
      gitDir,
      stdin: ids.slice(at).join('\n').concat('\n'),
      onOutput: (stream, chunk) => (stream === 'stdout' ? reader.read(chunk) : undefined),
      maxOutputBytes: 64 * 1024,
      answers: ANY,
      env: { GIT_NO_LAZY_FETCH: '1' },
      signal,
    });
    bad.push(...reader.bad);
    at += reader.done();
    const stoppedAt = ids[at];
    if (stoppedAt === undefined) break;
    bad.push({ id: stoppedAt, problem: `can't be read (git stopped with ${exitCode})` });
    at++;
  }
  return bad;
}

const ANY = Array.from({ length: 256 }, (_, status) => status);

/** Takes apart `<id> <type> <bytes>\n<content>\n`, repeated, and `<id> missing\n`. */
function createBatchReader(ids: readonly string[]) {
  const bad: BadObject[] = [];
  let done = 0;
  let header = '';
  let left = -1;
  let hash: Hash | undefined;
  const finish = (): void => {
    const id = ids[done++] ?? '';
    if (hash && hash.digest('hex') !== id) bad.push({ id, problem: 'does not match its id' });
    hash = undefined;
    left = -1;
    header = '';
  };
  const begin = (id: string): void => {
    const [, type, bytes] = header.split(' ');
    if (bytes === undefined) {
      bad.push({ id, problem: 'is missing' });
      finish();
      return;
    }
    hash = createHash(id.length === 64 ? 'sha256' : 'sha1').update(`${type} ${bytes}\0`);
    // The line break after the content.
    left = Number(bytes) + 1;
  };
  const read = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.length; ) {
      if (left < 0) {
        const end = chunk.indexOf(10, at);
        header += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
        if (end < 0) return;
        at = end + 1;
        begin(ids[done] ?? '');
      } else {
        const part = chunk.subarray(at, at + left);
        hash?.update(part.length === left ? part.subarray(0, -1) : part);
        at += part.length;
        left -= part.length;
        if (left === 0) finish();
      }
    }
  };
  return { bad, read, done: () => done };
}
