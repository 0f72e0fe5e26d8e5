import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';

/**
 * Refs read from their files (gitrepository-layout(5), the `files` format), for queries not worth a process. Undefined when
 * the files are not conclusive; then git has to be asked.
 */
export interface PlainRefs {
  /** The commit that a ref holds. */
  find(ref: string): Promise<string | undefined>;
  /** True when the name is not taken and does not conflict with another as file versus folder. */
  isFree(ref: string): Promise<true | undefined>;
}

export async function readPlainRefs(commonDir: string): Promise<PlainRefs | undefined> {
  const packed = await readPacked(join(commonDir, 'packed-refs'));
  return (
    packed && {
      find: async ref => (await findLoose(join(commonDir, ref))) ?? packed.get(ref),
      isFree: async ref => {
        if (foldersOf(ref).some(folder => packed.has(folder))) return undefined;
        if ([...packed.keys()].some(name => name === ref || name.startsWith(`${ref}/`))) return undefined;
        return isUntaken(commonDir, ref);
      },
    }
  );
}

/** Longer files are quicker asked of git, which looks into them without reading all. */
const MOST_BYTES = 256 * 1024;

async function readPacked(file: string): Promise<Map<string, string> | undefined> {
  const info = await lstat(file).catch(ignoreMissing);
  if (!info) return new Map();
  if (!info.isFile() || info.size > MOST_BYTES) return undefined;
  const lines = (await readFile(file, 'utf8')).split('\n');
  // Lines that begin with # and ^ are about the file and about tags.
  return new Map(
    lines.flatMap(line => (ID.test(line) ? [[line.slice(line.indexOf(' ') + 1), idOf(line)]] : [])),
  );
}

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})[ \n]/;
const idOf = (line: string): string => line.slice(0, line.search(/[ \n]/));

/** A symbolic ref, or a file that is being written, is not plain. */
async function findLoose(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return ID.test(text) ? idOf(text) : undefined;
}

/** Every parent is a folder or missing; if the name itself exists, git has to decide. */
async function isUntaken(commonDir: string, ref: string): Promise<true | undefined> {
  for (const folder of foldersOf(ref)) {
    const info = await lstat(join(commonDir, folder)).catch(ignoreMissing);
    if (!info) return true;
    if (!info.isDirectory()) return undefined;
  }
  return (await lstat(join(commonDir, ref)).catch(ignoreMissing)) ? undefined : true;
}

function foldersOf(ref: string): string[] {
  const parts = ref.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
