import { entry, formatLatest, formatList } from './catalog-entry.js';

export const batchErrors = {
  BASE_UNAVAILABLE: entry<{ base: string; reason: string }>({
    kind: 'config',
    summary: 'The repository, commit or files that a dataset task starts from are not available.',
    message: d => `cannot fetch the base ${d.base}: ${d.reason}`,
    hint: () => 'fix the base of the task; the other tasks of the dataset can still run',
  }),
  PROVIDER_NOT_READY: entry<{ call: string }>({
    kind: 'user',
    summary: 'A program used an isolation provider before its `init` had finished.',
    message: d => `${d.call}() was called before init() had finished; expected init() first`,
    hint: () => 'await provider.init(tasks) once, then acquire environments',
  }),
  PROVIDER_CLOSED: entry<{ call: string }>({
    kind: 'conflict',
    summary: 'An isolation provider was closed by `destroyAll` before or while a program used it.',
    message: d => `${d.call}() was called, but destroyAll() has closed the provider; expected an open one`,
    hint: () => 'create another provider with createIsolationProvider()',
  }),
  UNKNOWN_ENVIRONMENT: entry<{ call: string; found: string }>({
    kind: 'user',
    summary: 'An environment is not in use: it was released before, or another provider created it.',
    message: d =>
      `${d.call}() got ${d.found}; expected an environment from acquire() of this provider that is not released`,
    hint: () => 'release each environment once, and do not use it after that',
  }),
  TASK_SETUP_FAILED: entry<{ task: string; problem: string; exitCode: number | null }>({
    kind: 'failed',
    summary: 'A setup command of a task failed, so the task got no environment.',
    message: d => `the setup of the task ${d.task} failed: ${d.problem}`,
    hint: () =>
      'fix the command, or acquire the task with { setup: false } and prepare the environment yourself',
  }),
  PROCESSES_LEFT: entry<{ place: string; reason: string }>({
    kind: 'failed',
    summary:
      'Processes of an attempt were still running after they were killed, so its result is not trusted.',
    message: d => `processes are still running in ${d.place}: ${d.reason}`,
    hint: () => 'kill them, or run the batch with --isolation full',
  }),
  PID_NAMESPACE_FAILED: entry<{ exitCode: number | null; problem: string }>({
    kind: 'environment',
    summary: 'A command of an attempt did not run because its PID namespace could not be created.',
    message: d => `cannot create a PID namespace for a command: ${d.problem || `exit status ${d.exitCode}`}`,
    hint: () => 'check that the machine has free memory and process slots, then run: carrel eval resume',
  }),
  UNKNOWN_DATASET: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'not-found',
    summary: 'The dataset is neither built in nor a file or directory.',
    message: d =>
      `there is no dataset ${JSON.stringify(d.name)}; expected ${formatList(d.known)}, or the path of a file or directory`,
    hint: d => (d.nearest ? `did you mean --dataset ${d.nearest}?` : 'list them with: carrel eval datasets'),
  }),
  DATASET_INVALID: entry<{
    file: string;
    line?: number | undefined;
    column?: number | undefined;
    problem: string;
  }>({
    kind: 'config',
    summary: 'A dataset cannot be read, or contains no tasks.',
    message: d => `${[d.file, d.line, d.column].filter(part => part !== undefined).join(':')}: ${d.problem}`,
    hint: () => 'see `carrel schema dataset` for the format, and the guide to datasets for the other formats',
  }),
  UNKNOWN_TASK_ID: entry<{
    id: string;
    dataset: string;
    known: readonly string[];
    nearest?: string | undefined;
  }>({
    kind: 'not-found',
    summary: 'The dataset has no task with that id.',
    message: d =>
      `the dataset ${d.dataset} has no task ${JSON.stringify(d.id)}; it has: ${formatList(d.known, 12)}`,
    hint: d =>
      d.nearest ? `did you mean ${d.nearest}?` : `list them with: carrel eval datasets ${d.dataset}`,
  }),
  NOTHING_TO_RUN: entry<{ dataset: string; broken: number }>({
    kind: 'user',
    summary: 'No task of the dataset is left to run: the filters match none, or every match is broken.',
    message: d =>
      d.broken > 0
        ? `no task of ${d.dataset} is left to run; ${d.broken} ${d.broken === 1 ? 'is' : 'are'} broken`
        : `no task of ${d.dataset} matches the filters`,
    hint: d => `list its tasks with: carrel eval datasets ${d.dataset}`,
  }),
  RUN_NOT_FOUND: entry<{ id: string; known: readonly string[] }>({
    kind: 'not-found',
    summary: 'No batch run has that id, id prefix or directory.',
    message: d => `there is no batch run ${JSON.stringify(d.id)}; ${formatLatest(d.known)}`,
    hint: () => 'list them with: carrel eval ls',
  }),
  RUN_AMBIGUOUS: entry<{ id: string; matches: readonly string[] }>({
    kind: 'user',
    summary: 'An id prefix matches several batch runs.',
    message: d => `${JSON.stringify(d.id)} matches several batch runs: ${formatList(d.matches)}`,
    hint: () => 'use more characters of the id',
  }),
  RUN_BUSY: entry<{ id: string; pid: number; where?: string }>({
    kind: 'conflict',
    summary: 'Another process is working on the batch run.',
    message: d => `process ${d.pid}${d.where ?? ''} is already working on the batch run ${d.id}`,
    hint: d => `see its progress with: carrel eval show ${d.id}`,
  }),
  RUN_LOST: entry<{ id: string; directory: string }>({
    kind: 'conflict',
    summary:
      'This process did not respond for so long that another one took over the batch run. It records nothing more.',
    message: d =>
      `this process has lost the batch run ${d.id}: another process took over ${d.directory} or removed it`,
    hint: d => `see its progress with: carrel eval show ${d.id}`,
  }),
  ATTEMPT_NOT_FOUND: entry<{ run: string; taskId: string; attempt: number }>({
    kind: 'not-found',
    summary: 'The batch run has no such attempt, or its files are gone.',
    message: d => `${d.run} has no files of attempt ${d.attempt} of ${JSON.stringify(d.taskId)}`,
    hint: d => `list its attempts with: carrel eval show ${d.run}`,
  }),
  GATE_NOT_MET: entry<{ rate: number; gate: number; id: string }>({
    kind: 'failed',
    summary: 'The pass rate of a batch run is below --gate.',
    message: d => `the pass rate is ${d.rate.toFixed(3)}; expected at least ${d.gate}`,
    hint: d => `see what did not pass with: carrel eval show ${d.id}`,
  }),
  AGENT_MODULE_INVALID: entry<{ file: string; problem: string }>({
    kind: 'user',
    summary: 'A module named as an agent cannot be loaded, or exports no agent.',
    message: d => `cannot use ${d.file} as an agent: ${d.problem}`,
    hint: () => 'give it a default export that works on a task; see the guide to evaluation',
  }),
} as const;
