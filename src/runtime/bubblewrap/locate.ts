import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findProgramIn } from '../../exec/find-program.js';
import type { RunRequest, RunResult } from '../../exec/run.js';

export type Run = (request: RunRequest) => Promise<RunResult>;

/** The bubblewrap of this machine and what it can do. */
export interface Bubblewrap {
  readonly program: string;
  readonly version: string;
  /** --disable-userns; without it the filter of system calls alone keeps programs from making namespaces. */
  readonly disableUserns: boolean;
  /** --size */
  readonly canSize: boolean;
  /** --overlay */
  readonly canOverlay: boolean;
}

export interface LocateOptions {
  readonly run: Run;
  /** The caller's PATH. */
  readonly path: string;
  /** Directories that agents write; a bwrap in there is not one. */
  readonly untrusted: readonly string[];
  /** For files of the runtime itself; nothing of it is ever writable inside. */
  readonly directory: string;
  /** A new word with every call, fit for a file name. */
  readonly unique: () => string;
}

/**
 * Looks for it anew with every call, and asks one that has not changed since for its version only once, also from one
 * process to the next: the answer takes a third of the time that a sandbox takes to start.
 */
export function createLocator(options: LocateOptions): () => Promise<Bubblewrap | undefined> {
  const file = join(options.directory, 'bubblewrap.json');
  let known: Known | undefined;
  return async () => {
    const program = findProgramIn(options.path, 'bwrap', options.untrusted);
    if (program === undefined) return undefined;
    const { ino, size, mtimeMs, ctimeMs } = await stat(program);
    const key = [program, ino, size, mtimeMs, ctimeMs].join(' ');
    // Several ask at once: what one of them found out stays, whatever another has read meanwhile.
    const found = known ?? (await readKnown(file));
    const current = found?.key === key ? found : { key, version: await askVersion(options.run, program) };
    known = current;
    if (current !== found) await writeKnown(file, current, options.unique());
    return describe(program, current.version);
  };
}

interface Known {
  readonly key: string;
  readonly version: string;
}

/** A file that is not there, or was cut short, says nothing. */
async function readKnown(file: string): Promise<Known | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** It only saves time: on a full disk there is none. */
async function writeKnown(file: string, known: Known, unique: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(`${file}.${unique}`, JSON.stringify(known), { mode: 0o600 });
    await rename(`${file}.${unique}`, file);
  } catch {
    await rm(`${file}.${unique}`, { force: true });
  }
}

/** A version that can't be read counts as the oldest. */
async function askVersion(run: Run, program: string): Promise<string> {
  const env = { LC_ALL: 'C' };
  const limits = { timeoutMs: 10_000, maxOutputBytes: 1024 };
  const { stdout } = await run({ command: program, args: ['--version'], cwd: '/', env, ...limits });
  return /(\d+\.\d+(?:\.\d+)?)/.exec(stdout.toString('latin1'))?.[1] ?? '0.0';
}

function describe(program: string, version: string): Bubblewrap {
  return {
    program,
    version,
    disableUserns: isAtLeast(version, DISABLE_USERNS),
    canSize: isAtLeast(version, SIZE),
    canOverlay: isAtLeast(version, OVERLAY),
  };
}

/** --json-status-fd came with 0.4, --clearenv and --perms with 0.5. */
export const OLDEST = '0.5';
const SIZE = '0.7';
const DISABLE_USERNS = '0.8';
const OVERLAY = '0.11';

export function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
