import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createTarPacker, type TarHeader } from 'modern-tar';
import { carrelError } from '../domain/error/error.js';

/** One entry of an archive; `path` is relative, without a trailing slash. Everything belongs to root. */
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

/** A tar archive as a stream; the same entries give the same bytes. Rejects a file whose size has changed. */
export function tarArchive(entries: readonly ArchiveEntry[]): Readable {
  const { readable, controller } = createTarPacker();
  const addAll = async () => {
    for (const entry of entries) await writeBody(entry, controller.add(describe(entry)));
    controller.finalize();
  };
  addAll().catch(error => controller.error(error));
  return Readable.fromWeb(readable as ReadableStream);
}

function describe(entry: ArchiveEntry): TarHeader {
  const { kind, path: name } = entry;
  const common = { name, size: 0, mtime: new Date(0), uid: 0, gid: 0 };
  if (kind === 'symlink') return { ...common, type: 'symlink', mode: 0o777, linkname: entry.target };
  const { mode } = entry;
  if (kind === 'directory') return { ...common, type: 'directory', mode };
  return {
    ...common,
    type: 'file',
    mode,
    size: kind === 'file' ? entry.size : Buffer.byteLength(entry.content),
  };
}

async function writeBody(entry: ArchiveEntry, body: WritableStream<Uint8Array>): Promise<void> {
  const writer = body.getWriter();
  if (entry.kind === 'content') await writer.write(Buffer.from(entry.content as Buffer));
  if (entry.kind === 'file') await writeFile(entry, writer);
  await writer.close();
}

async function writeFile(
  { from, size }: Extract<ArchiveEntry, { readonly kind: 'file' }>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  let written = 0;
  for await (const chunk of createReadStream(from)) {
    written += chunk.length;
    if (written > size) break;
    await writer.write(chunk);
  }
  if (written !== size) throw carrelError('INTERNAL', { problem: `${from} changed while it was read` });
}
