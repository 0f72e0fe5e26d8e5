import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../domain/error/error.js';
import type { ArchiveEntry } from './tar-archive.js';

/** An image that a repository defines in `.carrel/Dockerfile`. */
export interface DockerfileImage {
  /** Identifies its sources: another Dockerfile, or another file next to it, is another image. */
  readonly image: string;
  readonly entries: readonly ArchiveEntry[];
}

/** It never comes from a registry. */
const NAME = 'localhost/carrel-dockerfile';

/** Files that Carrel itself reads there; a change of them is no reason to rebuild. */
const NOT_FOR_IMAGES: ReadonlySet<string> = new Set(['config.yaml', 'workflows', 'agents']);

/**
 * Reads the Dockerfile of a repository with everything next to it, which is all that the build sees; undefined when
 * there is none. Nothing runs: a Dockerfile's commands run only when it is built.
 */
export async function readDockerfile(repositoryRoot: string): Promise<DockerfileImage | undefined> {
  const directory = join(repositoryRoot, '.carrel');
  const info = await lstat(join(directory, 'Dockerfile')).catch(ignoreMissing);
  if (!info?.isFile()) return undefined;
  const names = (await readdir(directory)).filter(name => !NOT_FOR_IMAGES.has(name));
  const entries = (await Promise.all(names.sort().map(name => readEntry(directory, name)))).flat();
  return { image: `${NAME}:${hash(entries)}`, entries };
}

async function readEntry(directory: string, path: string): Promise<ArchiveEntry[]> {
  const from = join(directory, path);
  const info = await lstat(from);
  if (info.isSymbolicLink()) return [{ kind: 'symlink', path, target: await readlink(from) }];
  if (info.isFile())
    return [{ kind: 'content', path, mode: info.mode & 0o777, content: await readFile(from) }];
  if (!info.isDirectory()) return [];
  const names = (await readdir(from)).sort();
  const below = await Promise.all(names.map(name => readEntry(directory, join(path, name))));
  return [{ kind: 'directory', path, mode: info.mode & 0o777 }, ...below.flat()];
}

function hash(entries: readonly ArchiveEntry[]): string {
  const sum = createHash('sha256');
  for (const entry of entries) {
    const { content, ...rest } = { content: '', ...entry };
    sum.update(`${JSON.stringify(rest)} ${content.length}\n`).update(content);
  }
  return sum.digest('hex').slice(0, 16);
}
