import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** V8's compiled code of an earlier run, in one file. It only saves time: whatever fails here is as if there were none. */
export interface CodeCache {
  read(): Buffer | undefined;
  /** Whole or not at all, also when several processes write at once. */
  write(code: Buffer): void;
}

export interface CodeCacheKey {
  /** Of the source's content: V8 itself only compares the length. */
  readonly build: string;
  /** What is run. Each command has its own file, with the functions that it needs and no others. */
  readonly command: string;
}

export function openCodeCache(directory: string, { build, command }: CodeCacheKey): CodeCache {
  // Another V8 would reject the code; so that two of them do not take turns in writing one file, each has its own.
  const file = join(directory, `${build}-${process.arch}-${process.versions.v8}-${command}`);
  return {
    read: () => attempt(() => readOwn(file)),
    write: code => {
      attempt(() => writeWhole(file, code));
      attempt(() => removeOld(directory, build));
    },
  };
}

/** This is code that will be run, so a file that somebody else could have written is none. */
function readOwn(file: string): Buffer | undefined {
  const descriptor = openSync(file, 'r');
  try {
    const { uid, mode } = fstatSync(descriptor);
    const isOwn = uid === process.getuid?.() && (mode & OTHERS_WRITE) === 0;
    return isOwn ? readFileSync(descriptor) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

const OTHERS_WRITE = 0o022;

function writeWhole(file: string, code: Buffer): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, code, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    attempt(() => unlinkSync(draft));
    throw error;
  }
}

/** Another build may be in use beside this one; what is older than this belongs to one that most likely is not. */
const OLD_MS = 30 * 86_400_000;

function removeOld(directory: string, build: string): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    if (!name.startsWith(build) && Date.now() - statSync(file).mtimeMs > OLD_MS) unlinkSync(file);
  }
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
