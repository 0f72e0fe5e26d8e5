import type { Git } from '../../git/git.js';
import type { IncomingRepository } from './incoming-repository.js';

/** Tells the content of objects, one after the other and in the order of `names`; what is missing is left out. */
export async function eachObject(
  git: Git,
  { options }: IncomingRepository,
  names: readonly string[],
  signal: AbortSignal,
  onObject: (at: number, content: Buffer) => void,
): Promise<void> {
  if (names.length === 0) return;
  const take = createObjectSplitter(onObject);
  await git.run(['cat-file', '--batch', '--buffer'], {
    ...options,
    stdin: `${names.join('\n')}\n`,
    signal,
    maxOutputBytes: 64 * 1024,
    onOutput: (stream, chunk) => stream === 'stdout' && take(chunk),
  });
}

/** `<id> <type> <size>`, a line break, the content and a line break; `<name> missing` for what is not there. */
function createObjectSplitter(onObject: (at: number, content: Buffer) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let held = 0;
  /** Bytes that are needed before there is anything to do. */
  let wanted = 1;
  let at = 0;
  const takeOne = (bytes: Buffer): Buffer | undefined => {
    const head = bytes.indexOf('\n');
    if (head === -1) return undefined;
    const [, , size] = bytes.toString('latin1', 0, head).split(' ');
    const end = size === undefined ? head : head + 1 + Number(size);
    wanted = end + 1;
    if (bytes.length < wanted) return undefined;
    if (size !== undefined) onObject(at, bytes.subarray(head + 1, end));
    at += 1;
    wanted = 1;
    return bytes.subarray(end + 1);
  };
  return chunk => {
    pieces.push(chunk);
    held += chunk.length;
    if (held < wanted) return;
    let bytes = pieces.length === 1 ? chunk : Buffer.concat(pieces);
    for (let rest = takeOne(bytes); rest; rest = takeOne(bytes)) bytes = rest;
    pieces = [bytes];
    held = bytes.length;
  };
}
