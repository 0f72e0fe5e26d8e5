import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../../domain/error/error.js';
import type { OwnEtc } from './own-etc.js';

/**
 * Files with these contents, for bind mounts: named after their content, created once and checked before every use.
 * `directory` must not be writable from any sandbox.
 */
export async function writeOwnEtc(
  directory: string,
  contents: OwnEtc,
  unique: () => string,
): Promise<OwnEtc> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const entries = await Promise.all(
    Object.entries(contents).map(
      async ([path, text]) => [path, await keep(directory, text, unique)] as const,
    ),
  );
  return Object.fromEntries(entries) as unknown as OwnEtc;
}

async function keep(directory: string, text: string, unique: () => string): Promise<string> {
  const path = join(directory, `etc-${createHash('sha256').update(text).digest('hex')}`);
  if ((await readFile(path, 'utf8').catch(ignoreMissing)) === text) return path;
  // World-readable: inside, they belong to another user unless root is root there.
  const made = `${path}.${unique()}`;
  await writeFile(made, text, { flag: 'wx', mode: 0o644 });
  await rename(made, path);
  return path;
}
