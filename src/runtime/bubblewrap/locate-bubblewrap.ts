import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findProgramIn } from '../../exec/find-program.js';
import type { RunProcess } from '../../exec/run-process.js';

export type Run = RunProcess;

/** The bubblewrap of this machine and its features. */
export interface Bubblewrap {
  readonly program: string;
  readonly version: string;
  /** --disable-userns; without it only the system call filter keeps programs from creating namespaces. */
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
  /** Directories that agents write; a bwrap there is ignored. */
  readonly untrusted: readonly string[];
  /** For files of the runtime itself; never writable inside. */
  readonly directory: string;
  /** A new random word on every call, suitable for a file name. */
  readonly unique: () => string;
}

/**
 * Searches again on every call, but asks an unchanged program for its version only once, even across processes: the
 * answer takes a third of the time that a sandbox needs to start.
 */
export function createBubblewrapLocator(options: LocateOptions): () => Promise<Bubblewrap | undefined> {
  const file = join(options.directory, 'bubblewrap.json');
  let known: Known | undefined;
  return async () => {
    const program = findProgramIn(options.path, 'bwrap', options.untrusted);
    if (program === undefined) return undefined;
    const { ino, size, mtimeMs, ctimeMs } = await stat(program);
    const key = [program, ino, size, mtimeMs, ctimeMs].join(' ');
    // Concurrent calls: a result that one of them found is kept.
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

/** A missing or truncated file is ignored. */
async function readKnown(file: string): Promise<Known | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Only saves time, so a failure on a full disk is ignored. */
async function writeKnown(file: string, known: Known, unique: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(`${file}.${unique}`, JSON.stringify(known), { mode: 0o600 });
    await rename(`${file}.${unique}`, file);
  } catch {
    await rm(`${file}.${unique}`, { force: true });
  }
}

/** An unreadable version counts as the oldest. */
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

/** --json-status-fd was added in 0.4, --clearenv and --perms in 0.5. */
export const OLDEST = '0.5';
const SIZE = '0.7';
const DISABLE_USERNS = '0.8';
const OVERLAY = '0.11';

export function isAtLeast(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
