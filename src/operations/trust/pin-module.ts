import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';

/**
 * A line that identifies a module of a repository with its content: `workspace.backend: ./b.mjs [b.mjs 9f8a…]`. Modules
 * that it imports by a relative path, and theirs, are pinned too; packages and computed paths are not. Undefined when the
 * module, or one of those, is not an ordinary file of the repository.
 */
export async function pinModule(root: string, path: string): Promise<string | undefined> {
  const pins = new Map<string, string>();
  if (!(await pin(root, posix.normalize(path), pins))) return undefined;
  return [`workspace.backend: ./${path}`, ...[...pins].map(([file, hash]) => `[${file} ${hash}]`)].join(' ');
}

async function pin(root: string, path: string, pins: Map<string, string>): Promise<boolean> {
  if (pins.has(path)) return true;
  if (path.startsWith('..') || !(await isOrdinary(root, path))) return false;
  const content = await readFile(join(root, path));
  pins.set(path, createHash('sha256').update(content).digest('hex'));
  for (const imported of listImports(content.toString('utf8')))
    if (!(await pin(root, posix.join(posix.dirname(path), imported), pins))) return false;
  return true;
}

/** No part of its path is a symbolic link, whose target could change. */
async function isOrdinary(root: string, path: string): Promise<boolean> {
  const info = await lstat(join(root, path)).catch(ignoreMissing);
  if (!info?.isFile()) return false;
  for (let above = dirname(path); above !== '.'; above = dirname(above))
    if (!(await lstat(join(root, above))).isDirectory()) return false;
  return true;
}

const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;

const listImports = (text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, , path]) => path as string);
