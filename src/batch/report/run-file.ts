import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';

export interface RunFile {
  readonly bytes: Buffer;
  /** Size of the whole file. */
  readonly size: number;
}

export interface Part {
  readonly most: number;
  readonly from: 'start' | 'end';
}

/**
 * A file of a run, or a part of it; undefined when it cannot be read. The path comes from a record, and the directory
 * may come from another user: nothing outside it is read, even through links.
 */
export async function readRunFile(directory: string, path: string, part: Part): Promise<RunFile | undefined> {
  const file = path.includes('\0') ? undefined : await openInside(directory, path).catch(ignoreAbsence);
  try {
    return file && (await readPart(file, part));
  } finally {
    await file?.close();
  }
}

/** Follows links in the path as long as they stay inside, but not a link at the end, and does not block on a FIFO. */
async function openInside(directory: string, path: string): Promise<FileHandle | undefined> {
  const root = await realpath(directory);
  const parent = await realpath(dirname(join(root, path)));
  if (parent !== root && !parent.startsWith(`${root}${sep}`)) return undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return open(join(parent, basename(path)), flags);
}

async function readPart(file: FileHandle, { most, from }: Part): Promise<RunFile | undefined> {
  const stat = await file.stat();
  if (!stat.isFile()) return undefined;
  const length = Math.min(stat.size, most);
  const begin = from === 'start' ? 0 : stat.size - length;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, begin);
  return { bytes: buffer.subarray(0, bytesRead), size: stat.size };
}

function ignoreAbsence(error: NodeJS.ErrnoException): undefined {
  if (!ABSENT.has(error.code ?? '')) throw error;
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG']);
