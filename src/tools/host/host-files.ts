import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { formatSize } from '../../domain/text/format-quantity.js';
import type { Problem, ToolFiles } from '../tool-access.js';
import { explainPath, LEADS_OUT, openConfined } from './confined-open.js';
import { walkDirectory } from './walk-directory.js';

const { O_CREAT, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Files of the host; with `confinedTo`, only of that directory. */
export function createHostFiles(confinedTo: string | undefined): ToolFiles {
  const open: Opener = (path, flags, makes) => {
    if (confinedTo !== undefined) return openConfined(confinedTo, path, { flags, makes });
    if (makes) mkdirSync(dirname(path), { recursive: true });
    return openSync(path, flags | O_NONBLOCK, 0o666);
  };
  const use = <T>(path: string, flags: number, work: (descriptor: number) => T, makes = false) =>
    withOpen(open, { path, flags, makes }, work);
  return {
    read: async (path, mostBytes) => use(path, O_RDONLY, descriptor => readOpen(descriptor, mostBytes)),
    write: async (path, content) =>
      use(path, O_WRONLY | O_CREAT, descriptor => writeOpen(descriptor, content), true),
    checkDirectory: async path =>
      use(path, O_RDONLY, descriptor =>
        fstatSync(descriptor).isDirectory() ? undefined : { problem: 'it is not a directory' },
      ),
    list: async (path, options) =>
      use(path, O_RDONLY, descriptor =>
        fstatSync(descriptor).isDirectory()
          ? walkDirectory(descriptor, path, options)
          : { paths: [path], isWhole: true },
      ),
  };
}

type Opener = (path: string, flags: number, makes: boolean) => number | undefined;

async function withOpen<T>(
  open: Opener,
  { path, flags, makes }: { path: string; flags: number; makes: boolean },
  work: (descriptor: number) => T | Promise<T>,
): Promise<T | Problem> {
  let descriptor: number | undefined;
  try {
    descriptor = open(path, flags, makes);
    return descriptor === undefined ? { problem: LEADS_OUT } : await work(descriptor);
  } catch (error) {
    return { problem: explainPath(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readOpen(descriptor: number, mostBytes: number): Buffer | Problem {
  const info = fstatSync(descriptor);
  if (!info.isFile())
    return { problem: info.isDirectory() ? 'it is a directory' : 'it is not a regular file' };
  if (info.size > mostBytes)
    return {
      problem: `it is too large: ${formatSize(info.size)}; expected at most ${formatSize(mostBytes)}`,
    };
  return readFileSync(descriptor);
}

/** Emptied only once it is known to be a regular file. */
function writeOpen(descriptor: number, content: Buffer): Problem | undefined {
  if (!fstatSync(descriptor).isFile()) return { problem: 'it is not a regular file' };
  ftruncateSync(descriptor);
  writeFileSync(descriptor, content);
  return undefined;
}
