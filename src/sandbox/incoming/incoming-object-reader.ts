import { PassThrough } from 'node:stream';
import type { Git } from '../../git/git.js';
import type { IncomingRepository } from './incoming-repository.js';

/** Reads objects one by one, as long as it is open. */
export interface ObjectReader {
  /** Undefined for a missing object. */
  read(name: string): Promise<Buffer | undefined>;
}

/** Runs `action` with a reader; one git process for all objects. */
export async function withObjectReader<T>(
  git: Git,
  { options }: IncomingRepository,
  signal: AbortSignal,
  action: (reader: ObjectReader) => Promise<T>,
): Promise<T> {
  const questions = new PassThrough();
  const waiting: Waiting[] = [];
  const take = createObjectSplitter(content => waiting.shift()?.resolve(content));
  const ended = git.run(['cat-file', '--batch'], {
    ...options,
    stdin: questions,
    signal,
    maxOutputBytes: 64 * 1024,
    onOutput: (stream, chunk) => (stream === 'stdout' ? take(chunk) : undefined),
  });
  const failed = ended.then(
    () => new Promise<never>(() => {}),
    (error: unknown) => Promise.reject(error),
  );
  const read = (name: string) => {
    const answer = new Promise<Buffer | undefined>(resolve => waiting.push({ resolve }));
    questions.write(`${name}\n`);
    return answer;
  };
  try {
    return await Promise.race([action({ read }), failed]);
  } finally {
    questions.end();
    await ended.catch(() => undefined);
  }
}

interface Waiting {
  readonly resolve: (content: Buffer | undefined) => void;
}

/** `<id> <type> <size>`, a line break, the content and a line break; `<name> missing` for what is not there. */
function createObjectSplitter(onObject: (content: Buffer | undefined) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let held = 0;
  /** Bytes needed before parsing continues. */
  let wanted = 1;
  const takeOne = (bytes: Buffer): Buffer | undefined => {
    const head = bytes.indexOf('\n');
    if (head === -1) return undefined;
    const [, , size] = bytes.toString('latin1', 0, head).split(' ');
    const end = size === undefined ? head : head + 1 + Number(size);
    wanted = end + 1;
    if (bytes.length < wanted) return undefined;
    onObject(size === undefined ? undefined : bytes.subarray(head + 1, end));
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
