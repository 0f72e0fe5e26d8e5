import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

export interface Page {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/**
 * All files of a directory by the path of their url. They are held in memory, so that no request comes near the file
 * system; what is not a plain file is left out.
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

const loadPage = (file: string): Page => ({
  content: new Uint8Array(readFileSync(file)),
  type: TYPES[extname(file)] ?? 'application/octet-stream',
});

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
