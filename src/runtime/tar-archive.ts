import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { carrelError } from '../domain/error.js';

/** One thing in an archive; `path` is relative, without a slash at its end. Everything belongs to root. */
export type ArchiveEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | { readonly kind: 'symlink'; readonly path: string; readonly target: string }
  | {
      readonly kind: 'content';
      readonly path: string;
      readonly mode: number;
      readonly content: string | Buffer;
    }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly mode: number;
      readonly from: string;
      readonly size: number;
    };

/** A tar archive (POSIX ustar) as a stream; the same entries give the same bytes. Rejects a file that changed its size. */
export function tarArchive(entries: readonly ArchiveEntry[]): Readable {
  return Readable.from(writeArchive(entries), { objectMode: false });
}

const BLOCK = 512;

async function* writeArchive(entries: readonly ArchiveEntry[]): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    yield header(entry);
    yield* content(entry);
  }
  // Two empty blocks are the end.
  yield Buffer.alloc(2 * BLOCK);
}

async function* content(entry: ArchiveEntry): AsyncGenerator<Buffer> {
  if (entry.kind === 'content') yield padded(Buffer.from(entry.content as Buffer));
  if (entry.kind !== 'file') return;
  let written = 0;
  for await (const chunk of createReadStream(entry.from)) {
    written += chunk.length;
    yield chunk;
  }
  if (written !== entry.size) throw unfit(`${entry.from} changed while it was read`);
  yield Buffer.alloc(padding(written));
}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(padding(bytes.length))]);

const TYPE = { file: '0', content: '0', symlink: '2', directory: '5' } as const;

function header(entry: ArchiveEntry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { name, prefix } = splitPath(entry.path);
  block.write(name, 0);
  block.write(octal(entry.kind === 'symlink' ? 0o777 : entry.mode, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(sizeOf(entry), 12), 124);
  block.write(octal(0, 12), 136);
  block.write(TYPE[entry.kind], 156);
  if (entry.kind === 'symlink') block.write(requireShort(entry.target), 157);
  block.write('ustar\x0000', 257);
  block.write(prefix, 345);
  // Summed with spaces in its own place.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)} `, 148);
  return block;
}

function sizeOf(entry: ArchiveEntry): number {
  if (entry.kind === 'content') return Buffer.byteLength(entry.content);
  return entry.kind === 'file' ? entry.size : 0;
}

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

/** A name has 100 bytes and what is before one of its slashes 155. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  const at = path.indexOf('/', path.length - 101);
  if (at < 1 || Buffer.byteLength(path) > at + 101 || at > 155)
    throw unfit(`${path} is too long for an archive`);
  return { name: path.slice(at + 1), prefix: path.slice(0, at) };
}

function requireShort(target: string): string {
  if (Buffer.byteLength(target) > 100) throw unfit(`a link to ${target} is too long for an archive`);
  return target;
}

const unfit = (problem: string): Error => carrelError('INTERNAL', { problem });
