import { stat } from 'node:fs/promises';
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
}

/** Looks for it anew with every call, and asks one that has not changed since for its version only once. */
export function createLocator(options: LocateOptions): () => Promise<Bubblewrap | undefined> {
  let known: { readonly key: string; readonly bubblewrap: Bubblewrap } | undefined;
  return async () => {
    const program = findProgramIn(options.path, 'bwrap', options.untrusted);
    if (program === undefined) return undefined;
    const { ino, size, mtimeMs } = await stat(program);
    const key = [program, ino, size, mtimeMs].join(' ');
    if (known?.key !== key) known = { key, bubblewrap: await describe(options.run, program) };
    return known.bubblewrap;
  };
}

/** A version that can't be read counts as the oldest. */
async function describe(run: Run, program: string): Promise<Bubblewrap> {
  const env = { LC_ALL: 'C' };
  const limits = { timeoutMs: 10_000, maxOutputBytes: 1024 };
  const { stdout } = await run({ command: program, args: ['--version'], cwd: '/', env, ...limits });
  const version = /(\d+\.\d+(?:\.\d+)?)/.exec(stdout.toString('latin1'))?.[1] ?? '0.0';
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
