import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface Page {
  readonly content: Uint8Array<ArrayBuffer>;
  /** Compressed with gzip at the first request; null for files that are compressed already. */
  readonly packed: () => Uint8Array<ArrayBuffer> | null;
  readonly type: string;
}

/**
 * All regular files of a directory by URL path. They are held in memory, so that no request reads the file system.
 */
export function loadPages(directory: string): ReadonlyMap<string, Page> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .map(file => [`/${relative(directory, file).split(sep).join('/')}`, loadPage(file)]),
  );
}

function loadPage(file: string): Page {
  const content = new Uint8Array(readFileSync(file));
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  let packed: Uint8Array<ArrayBuffer> | undefined;
  const pack = () => (packed ??= new Uint8Array(gzipSync(content)));
  return { content, type, packed: () => (PACKABLE.test(type) ? pack() : null) };
}

const PACKABLE = /^(text\/|image\/svg|application\/json)/;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};
