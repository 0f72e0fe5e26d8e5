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

/** V8's compiled code of an earlier run, in one file. It only saves time: any failure counts as no cache. */
export interface CodeCache {
  read(): Buffer | undefined;
  /** Atomic, even when several processes write at once. */
  write(code: Buffer): void;
}

export interface CodeCacheKey {
  /** Hash of the source: V8 itself only compares the length. */
  readonly build: string;
  /** The command. Each has its own file, with only the functions that it needs. */
  readonly command: string;
}

export function openCodeCache(directory: string, { build, command }: CodeCacheKey): CodeCache {
  // Each V8 version has its own file: another version would reject the code and overwrite it every time.
  const file = join(directory, `${build}-${process.arch}-${process.versions.v8}-${command}`);
  return {
    read: () => attempt(() => readOwn(file)),
    write: code => {
      attempt(() => writeWhole(file, code));
      attempt(() => removeOld(directory, build));
    },
  };
}

/** This code will run, so a file that another user could have written is not used. */
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

/** Another build may be in use as well; older files most likely belong to one that is not. */
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
