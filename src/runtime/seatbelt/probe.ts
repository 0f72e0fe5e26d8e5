import { accessSync, constants } from 'node:fs';
import { isCarrelError } from '../../domain/error/error.js';
import type { LimitName, RuntimeFinding, RuntimeObstacle } from '../../domain/sandbox/runtime-finding.js';
import type { Policy } from '../policy.js';
import { execInSeatbelt } from './execute-command.js';
import type { SeatbeltRuntimeOptions } from './runtime.js';

/** macOS has no control groups: memory, processors and processes can't be limited. */
export const SEATBELT_LIMITS: readonly LimitName[] = ['fileSize', 'disk', 'time'];

const EXPERIMENTAL =
  'seatbelt is experimental and weaker than bubblewrap and containers: see the macOS guide';

/** What is wrong before anything was tried; undefined when nothing is. */
export function findObstacle({ platform, program }: SeatbeltRuntimeOptions): RuntimeFinding | undefined {
  if (platform !== 'darwin')
    return finding('unsupported-system', `it is part of macOS, and this is ${platform}`, null);
  if (!isExecutable(program)) return finding('not-installed', `${program} was not found`, null);
  return undefined;
}

/** Runs a program that does nothing under the rules of every sandbox. */
export async function probeSeatbelt(options: SeatbeltRuntimeOptions): Promise<RuntimeFinding> {
  const obstacle = findObstacle(options);
  if (obstacle) return obstacle;
  const problem = await findProblem(options);
  if (problem !== undefined) return finding('refused', problem, 'run Carrel outside any other sandbox');
  return {
    ...finding(null, `${options.program} works`, null),
    limits: [...SEATBELT_LIMITS],
    warnings: [EXPERIMENTAL],
  };
}

function finding(obstacle: RuntimeObstacle | null, message: string, hint: string | null): RuntimeFinding {
  return { runtime: 'seatbelt', obstacle, version: null, message, hint, limits: [], warnings: [] };
}

const PROBE_MS = 20_000;

async function findProblem(options: SeatbeltRuntimeOptions): Promise<string | undefined> {
  const policy = emptyPolicy(options.uid);
  try {
    const command = { command: ['/usr/bin/true'], timeoutMs: PROBE_MS };
    const { exitCode } = await execInSeatbelt(options, '.probe', policy, command);
    return exitCode === 0 ? undefined : `a test program exited with ${exitCode}`;
  } catch (error) {
    if (isCarrelError(error, 'SANDBOX_REFUSED')) return String(error.details.problem);
    throw error;
  }
}

const emptyPolicy = (uid: number): Policy => ({
  root: { kind: 'machine' },
  mounts: [],
  environment: { PATH: '/usr/bin:/bin' },
  workingDirectory: '/',
  hostname: 'carrel',
  user: { uid, gid: uid },
  network: 'none',
  limits: {},
  enforcement: 'enforce',
  nested: false,
  privileged: false,
});

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
