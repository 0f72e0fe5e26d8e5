import { entry, formatList } from '../catalog-entry.js';

/** Why an agent cannot travel, and why a worker refuses a job or a result. */
export const jobErrors = {
  AGENT_CANNOT_TRAVEL: entry<{ agent: string; reason: string; advice: string }>({
    kind: 'user',
    summary: 'An agent cannot run on other machines, because it is not only settings and files.',
    message: d => `the agent ${d.agent} cannot run on other machines: ${d.reason}`,
    hint: d => d.advice,
  }),
  TASK_CANNOT_TRAVEL: entry<{ reason: string; advice: string }>({
    kind: 'user',
    summary: 'A task cannot run on a fleet, because something about it is only on this machine.',
    message: d => `the task cannot run on a fleet: ${d.reason}`,
    hint: d => d.advice,
  }),
  FLEET_KEY_INVALID: entry<{ what: string; problem: string }>({
    kind: 'config',
    summary: 'A key for signing or checking jobs cannot be read, or other users can read it.',
    message: d => `${d.what} is not a usable key: ${d.problem}`,
    hint: () =>
      'a public key is ed25519: and 43 characters; a private key is a file that only its owner can read',
  }),
  JOB_INVALID: entry<{ problem: string }>({
    kind: 'conflict',
    summary: 'A job in the queue of a fleet does not have the form of a job.',
    message: d => `the job is not valid: ${d.problem}`,
    hint: () => 'check that the submitter and this worker run the same version of Carrel',
  }),
  JOB_NOT_TRUSTED: entry<{ job: string; submitter: string }>({
    kind: 'conflict',
    summary: 'A job is signed with a key that this worker does not accept.',
    message: d => `${d.job} comes from ${d.submitter}, which is not among the keys that this worker accepts`,
    hint: () => 'list the public key of the submitter on the worker if you trust it',
  }),
  JOB_ALTERED: entry<{ job: string }>({
    kind: 'conflict',
    summary: 'A job was changed after its submitter signed it.',
    message: d => `${d.job} does not match its signature`,
    hint: () => 'check who can write to the database of the fleet, and submit the run again',
  }),
  JOB_REPLAYED: entry<{ job: string; nonce: string }>({
    kind: 'conflict',
    summary:
      'A signed job was queued a second time. Only the engine may hand a job out again, as a new claim.',
    message: d => `${d.job} was begun on this worker before, and this claim does not follow that one`,
    hint: () => 'check who can write to the database of the fleet; to repeat an attempt, submit it again',
  }),
  JOB_EXPIRED: entry<{ job: string; deadline: string }>({
    kind: 'conflict',
    summary: 'The deadline of a job has passed before a worker began it.',
    message: d => `${d.job} had to begin before ${d.deadline}`,
    hint: () => 'check the clock of this worker; resume the run to submit what is left',
  }),
  JOB_ISOLATION_REFUSED: entry<{ job: string; isolation: string; allowed: string }>({
    kind: 'conflict',
    summary: 'A job asks for weaker isolation than a worker allows.',
    message: d => `${d.job} asks for isolation ${d.isolation}; this worker allows ${d.allowed} or stronger`,
    hint: d =>
      `submit the run with --isolation ${d.allowed}, or start the worker with --allow ${d.isolation}`,
  }),
  JOB_VERSION_REFUSED: entry<{ job: string; what: string; found: string; expected: string }>({
    kind: 'environment',
    summary: 'A worker has another version of Carrel or of the agent than the submitter.',
    message: d => `${d.job} needs ${d.what} ${d.expected}; this worker has ${d.found}`,
    hint: d => `install ${d.what} ${d.expected} on this worker, or leave the job to another one`,
  }),
  JOB_LABELS_MISSING: entry<{ job: string; missing: readonly string[] }>({
    kind: 'environment',
    summary: 'A worker does not have the labels that a job asks for.',
    message: d => `${d.job} needs a worker with the label ${formatList(d.missing)}`,
    hint: d => `start a worker with --label ${d.missing[0] ?? 'NAME'}`,
  }),
  JOB_KEYS_MISSING: entry<{ job: string; missing: readonly string[] }>({
    kind: 'environment',
    summary: 'A worker does not have the variables with keys that an agent needs. Values never travel.',
    message: d => `${d.job} needs ${formatList(d.missing)} in the environment of this worker`,
    hint: () => 'set it before starting the worker, or name a file with it: carrel worker --env-file FILE',
  }),
  JOB_PROGRAMS_MISSING: entry<{ job: string; missing: readonly string[] }>({
    kind: 'environment',
    summary: 'A worker does not have the program of an agent.',
    message: d => `${d.job} needs ${formatList(d.missing)} on this worker's PATH`,
    hint: () => 'install it on the worker, or use images with --isolation docker',
  }),
  JOB_ROOT_REFUSED: entry<{ job: string }>({
    kind: 'environment',
    summary: 'A worker runs as root and was not allowed to.',
    message: d => `${d.job} is not run as root`,
    hint: () => 'start the worker as an ordinary user, or with --allow-root',
  }),
  RESULT_REFUSED: entry<{ claim: string; problem: string }>({
    kind: 'conflict',
    summary: 'The files of a result are not what their manifest says, or have paths outside the attempt.',
    message: d => `the result of ${d.claim} is refused: ${d.problem}`,
    hint: () => 'the attempt counts as not done: resume the run to repeat it',
  }),
};
