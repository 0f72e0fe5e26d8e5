import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';

export interface RunFile {
  readonly bytes: Buffer;
  /** Of the whole file. */
  readonly size: number;
}

export interface Part {
  readonly most: number;
  readonly from: 'start' | 'end';
}

/**
 * A file of a run, or a part of it; undefined when there is none to read. The path comes from a record, and the directory
 * from somebody who may have sent it: nothing outside of it is read, whatever links are in it.
 */
export async function readRunFile(directory: string, path: string, part: Part): Promise<RunFile | undefined> {
  const file = path.includes('\0') ? undefined : await openInside(directory, path).catch(ignoreAbsence);
  try {
    return file && (await readPart(file, part));
  } finally {
    await file?.close();
  }
}

/** Links on the way are followed as long as they stay inside; one at the end is not, and a named pipe is not waited for. */
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
