import { spawnSync } from 'node:child_process';

/** Runs a small system program synchronously, in the C locale, and returns its output. */
export type SystemProgram = (program: string, args: readonly string[]) => SystemProgramResult;

export interface SystemProgramResult {
  readonly pid: number;
  /** Null when it was killed. */
  readonly status: number | null;
  /** One character per byte. */
  readonly stdout: string;
}

// Dates are in local time and the locale's language; processes with different settings must read the same text.
const ENVIRONMENT = { PATH: '/bin:/usr/bin:/sbin:/usr/sbin', LC_ALL: 'C', TZ: 'UTC' };

export const runSystemProgram: SystemProgram = (program, args) => {
  const { error, pid, status, stdout } = spawnSync(program, args, {
    env: ENVIRONMENT,
    encoding: 'latin1',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 ** 2,
    timeout: 10_000,
  });
  if (error) throw error;
  return { pid, status, stdout };
};
