import { createHash } from 'node:crypto';
import { access, constants, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ArchiveEntry } from '../../tar-archive.js';
import { createImageFiles, type ImageFiles } from './host-image-files.js';
import { type LibrariesOptions, listSharedLibraries } from './shared-libraries.js';

/** An image of this machine's own programs, for use without a registry. */
export interface HostImage {
  /** Identifies its content: other or newer programs are another image. */
  readonly tag: string;
  readonly entries: readonly ArchiveEntry[];
}

export interface HostImageOptions extends LibrariesOptions {
  readonly name: string;
  /** Names of programs, found in `searchPath`; those that this machine lacks are left out. */
  readonly programs: readonly string[];
  /** Files and directories that are included completely, where they exist. */
  readonly paths: readonly string[];
  /** The node that runs Carrel; it may be anywhere, so it is placed where programs are searched. */
  readonly node?: string | undefined;
}

/**
 * Collects programs with everything that they load. Only sizes and times of the files are read until the image is
 * built.
 */
export async function collectHostImage(options: HostImageOptions): Promise<HostImage> {
  const files = createImageFiles();
  for (const path of SYSTEM_DIRECTORIES) await files.add(path);
  const found = [...(await addPrograms(files, options)), ...(await addPaths(files, options.paths))];
  const node = options.node === undefined ? [] : [await realpath(options.node)];
  for (const library of await listSharedLibraries(options, [...found, ...node])) await files.add(library);
  const placed = await Promise.all(node.map(placeNode));
  const entries = withSkeleton([...files.entries(), ...placed.map(({ entry }) => entry)]);
  const facts = [entries, files.fingerprint(), placed.map(({ time }) => time)];
  const hash = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
  return { tag: `${options.name}:${hash}`, entries };
}

/** Most machines have links at these places, and the first lines of scripts name them. */
const SYSTEM_DIRECTORIES = ['/bin', '/sbin', '/lib', '/lib32', '/lib64'];

async function addPrograms(files: ImageFiles, { programs, searchPath }: HostImageOptions): Promise<string[]> {
  const directories = searchPath.split(delimiter).filter(isAbsolute);
  const found: string[] = [];
  for (const program of programs) {
    const path = await findFirst(directories.map(directory => join(directory, program)));
    const real = path && (await files.add(path));
    if (real) found.push(real);
  }
  return found;
}

async function findFirst(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await canBeRun(path)) return path;
  return undefined;
}

async function canBeRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Missing, or no permission.
    return false;
  }
}

async function addPaths(files: ImageFiles, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) found.push(...(await files.addTree(path)));
  return found;
}

async function placeNode(from: string): Promise<{ entry: ArchiveEntry; time: number }> {
  const { size, mtimeMs } = await stat(from);
  return { entry: { kind: 'file', path: 'usr/local/bin/node', mode: 0o755, from, size }, time: mtimeMs };
}

/** What every system has, without the content of this machine's own files. */
const SKELETON: readonly ArchiveEntry[] = [
  ...['dev', 'etc', 'home', 'proc', 'run', 'sys', 'usr', 'usr/bin', 'usr/local', 'usr/local/bin', 'var'].map(
    path => ({ kind: 'directory', path, mode: 0o755 }) as const,
  ),
  { kind: 'directory', path: 'root', mode: 0o700 },
  { kind: 'directory', path: 'tmp', mode: 0o1777 },
  { kind: 'directory', path: 'var/tmp', mode: 0o1777 },
  {
    kind: 'content',
    path: 'etc/passwd',
    mode: 0o644,
    content: 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n',
  },
  { kind: 'content', path: 'etc/group', mode: 0o644, content: 'root:x:0:\nnogroup:x:65534:\n' },
];

/** Sorted by path, so that a directory comes before what is in it. */
function withSkeleton(entries: readonly ArchiveEntry[]): ArchiveEntry[] {
  const all = new Map([...entries, ...SKELETON].map(entry => [entry.path, entry]));
  return [...all.keys()].sort().map(path => all.get(path) as ArchiveEntry);
}
