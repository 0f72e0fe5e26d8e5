import { entry } from '../catalog-entry.js';

/** What stops a worker or a coordinator. */
export const workerErrors = {
  CLAIM_LOST: entry<{ job: string; reason: string }>({
    kind: 'conflict',
    summary: 'A worker no longer has the claim on a job, so it stops working on it.',
    message: d => `this worker stops ${d.job}: ${d.reason}`,
    hint: () => 'another worker does the job; its result is recorded once',
  }),
  WORKER_BUSY: entry<{ stateDir: string; pid: number }>({
    kind: 'conflict',
    summary: 'Another worker uses the same state directory.',
    message: d => `a worker (process ${d.pid}) already uses the state directory ${d.stateDir}`,
    hint: () =>
      'use more slots with: carrel worker --slots N; or set CARREL_STATE_DIR and CARREL_CACHE_DIR for a second worker',
  }),
  FLEET_ADDRESS_INVALID: entry<{ what: string; found: string; expected: string }>({
    kind: 'user',
    summary: 'The address of a fleet or of its artifacts is not one that Carrel knows.',
    message: d => `${d.what}: found ${d.found}, expected ${d.expected}`,
    hint: () => 'try a fleet on this machine with: carrel fleet init --local',
  }),
  FLEET_ARTIFACTS_UNKNOWN: entry<{ fleet: string }>({
    kind: 'config',
    summary: 'A fleet has no place for files.',
    message: d => `the fleet at ${d.fleet} has no place for the files of jobs and results`,
    hint: d => `set it with: carrel fleet init ${d.fleet} --artifacts DIRECTORY|URL`,
  }),
  LOCAL_POSTGRES_FAILED: entry<{ problem: string }>({
    kind: 'environment',
    summary: 'PostgreSQL cannot be started on this machine.',
    message: d => `cannot start PostgreSQL: ${d.problem}`,
    hint: () => 'install PostgreSQL, or use a directory: carrel fleet init local',
  }),
} as const;
