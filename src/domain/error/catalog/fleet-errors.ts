import { entry } from './catalog-entry.js';

export const fleetErrors = {
  FLEET_ENGINE_MISSING: entry<{ problem: string; install: string }>({
    kind: 'environment',
    summary:
      'A fleet on PostgreSQL needs the npm package pg-boss, in the version that Carrel was tested with.',
    message: d => `can't use PostgreSQL: ${d.problem}`,
    hint: d => `install it beside carrel with: ${d.install}`,
  }),
  FLEET_UNAVAILABLE: entry<{ location: string; problem: string }>({
    kind: 'environment',
    summary: 'The database of the fleet does not answer.',
    message: d => `the fleet at ${d.location} does not answer: ${d.problem}`,
    hint: () => 'check that the database runs and that this machine may connect; work that is done is kept',
  }),
  FLEET_NOT_INITIALIZED: entry<{ location: string }>({
    kind: 'config',
    summary: 'The database has no tables of a fleet.',
    message: d => `the database ${d.location} has no fleet yet`,
    hint: d => `create it with: carrel fleet init ${d.location}`,
  }),
  FLEET_VERSION_DIFFERS: entry<{ location: string; found: number; known: number }>({
    kind: 'conflict',
    summary: 'The tables of the fleet belong to an older or newer Carrel.',
    message: d => `the fleet at ${d.location} has version ${d.found}; expected ${d.known}`,
    hint: d =>
      d.found < d.known
        ? `upgrade it, when no older worker runs, with: carrel fleet init ${d.location}`
        : 'install the newer Carrel on this machine',
  }),
  FLEET_RUN_NOT_FOUND: entry<{ run: string; location: string }>({
    kind: 'not-found',
    summary: 'The fleet has no run with this id.',
    message: d => `no run "${d.run}" in the fleet at ${d.location}`,
    hint: () => 'list the runs with: carrel fleet ls',
  }),
  FLEET_GC_ELSEWHERE: entry<{ location: string }>({
    kind: 'config',
    summary: 'Old files of a fleet are removed from a directory, or on the machine of the hub.',
    message: d =>
      `can't remove old files from ${d.location}: expected a directory, or the hub of this machine`,
    hint: () => 'run it on the machine of the hub; for a bucket, set a lifecycle rule in the store',
  }),
  FLEET_RUN_DIFFERS: entry<{ run: string }>({
    kind: 'conflict',
    summary: 'The fleet has a run with this id and another plan.',
    message: d => `the fleet has a run "${d.run}" with another plan`,
    hint: () => 'choose another id for the run, or submit the plan that it was created with',
  }),
  FLEET_HOST_NOT_FOUND: entry<{ host: string; location: string }>({
    kind: 'not-found',
    summary: 'No host with this id ever worked for the fleet.',
    message: d => `no host "${d.host}" in the fleet at ${d.location}`,
    hint: () => 'list the hosts with: carrel fleet ls',
  }),
  FLEET_JOB_TOO_LARGE: entry<{ task: string; bytes: number; limit: number }>({
    kind: 'user',
    summary: 'The description of a job is larger than a job may be.',
    message: d => `the job for ${d.task} has ${d.bytes} bytes; expected at most ${d.limit}`,
    hint: () => 'put what is large into a blob, and its hash into the job',
  }),
  FLEET_RECORD_TOO_LARGE: entry<{ task: string; bytes: number; limit: number }>({
    kind: 'user',
    summary: 'The record of a result is larger than a record may be.',
    message: d => `the record for ${d.task} has ${d.bytes} bytes; expected at most ${d.limit}`,
    hint: () => 'upload what is large as a blob, and put its hash into the record',
  }),
} as const;
