import { entry, formatList } from './entry.js';

export const batchErrors = {
  BASE_UNAVAILABLE: entry<{ base: string; reason: string }>({
    kind: 'config',
    summary: 'What a task of a data set starts from can not be had: its repository, commit or files.',
    message: d => `${d.base} can't be had: ${d.reason}`,
    hint: () => 'check the base of the task; the other tasks of the data set can run',
  }),
  PROCESSES_LEFT: entry<{ place: string; reason: string }>({
    kind: 'failed',
    summary:
      'Processes of an attempt go on although they were ended, so that its result could not be trusted.',
    message: d => `${d.place} does not come to rest: ${d.reason}`,
    hint: () => 'end them, or run the batch with --isolation full',
  }),
  PID_NAMESPACE_FAILED: entry<{ exitCode: number | null; problem: string }>({
    kind: 'environment',
    summary: 'A command of an attempt was not run, because no pid namespace could be made for it just then.',
    message: d => `no pid namespace can be made for a command: ${d.problem || `exit status ${d.exitCode}`}`,
    hint: () => 'see whether the machine has memory and processes left, then: carrel eval resume',
  }),
  UNKNOWN_DATASET: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'not-found',
    summary: 'A data set was named that neither ships nor is a file or directory.',
    message: d =>
      `there is no data set ${JSON.stringify(d.name)}; expected ${formatList(d.known)}, or the path of a file or directory`,
    hint: d => (d.nearest ? `did you mean --dataset ${d.nearest}?` : 'list them with: carrel eval datasets'),
  }),
  DATASET_INVALID: entry<{
    file: string;
    line?: number | undefined;
    column?: number | undefined;
    problem: string;
  }>({
    kind: 'config',
    summary: 'A data set can not be read, or has nothing that could be a task.',
    message: d => `${[d.file, d.line, d.column].filter(part => part !== undefined).join(':')}: ${d.problem}`,
    hint: () => 'see `carrel schema dataset` for the format, and the guide to data sets for the others',
  }),
  UNKNOWN_TASK_ID: entry<{
    id: string;
    dataset: string;
    known: readonly string[];
    nearest?: string | undefined;
  }>({
    kind: 'not-found',
    summary: 'A task was named that the data set does not have.',
    message: d =>
      `the data set ${d.dataset} has no task ${JSON.stringify(d.id)}; it has: ${formatList(d.known, 12)}`,
    hint: d =>
      d.nearest ? `did you mean ${d.nearest}?` : `list them with: carrel eval datasets ${d.dataset}`,
  }),
  NOTHING_TO_RUN: entry<{ dataset: string; broken: number }>({
    kind: 'user',
    summary: 'No task of the data set is left to run: the filters fit none, or all that fit are broken.',
    message: d =>
      d.broken > 0
        ? `no task of ${d.dataset} is left to run; ${d.broken} can't be used`
        : `no task of ${d.dataset} fits what was asked for`,
    hint: d => `see its tasks with: carrel eval datasets ${d.dataset}`,
  }),
  RUN_NOT_FOUND: entry<{ id: string; known: readonly string[] }>({
    kind: 'not-found',
    summary: 'No batch run has that id, id prefix or directory.',
    message: d => `there is no batch run ${JSON.stringify(d.id)}; the latest are: ${formatList(d.known)}`,
    hint: () => 'list them with: carrel eval ls',
  }),
  RUN_AMBIGUOUS: entry<{ id: string; matches: readonly string[] }>({
    kind: 'user',
    summary: 'The beginning of an id fits several batch runs.',
    message: d => `${JSON.stringify(d.id)} fits several batch runs: ${formatList(d.matches)}`,
    hint: () => 'use more of the id',
  }),
  RUN_BUSY: entry<{ id: string; pid: number }>({
    kind: 'conflict',
    summary: 'Another process works on the batch run.',
    message: d => `the batch run ${d.id} is worked on by process ${d.pid}`,
    hint: d => `look at it with: carrel eval show ${d.id}`,
  }),
  ATTEMPT_NOT_FOUND: entry<{ run: string; taskId: string; attempt: number }>({
    kind: 'not-found',
    summary: 'The batch run has no such attempt, or nothing of it is kept.',
    message: d => `nothing is kept of attempt ${d.attempt} of ${JSON.stringify(d.taskId)} in ${d.run}`,
    hint: d => `see its attempts with: carrel eval show ${d.run}`,
  }),
  GATE_NOT_MET: entry<{ rate: number; gate: number; id: string }>({
    kind: 'failed',
    summary: 'The pass rate of a batch run is below what --gate asks for.',
    message: d => `the pass rate is ${d.rate.toFixed(3)}; expected at least ${d.gate}`,
    hint: d => `see what did not pass with: carrel eval show ${d.id}`,
  }),
  AGENT_MODULE_INVALID: entry<{ file: string; problem: string }>({
    kind: 'user',
    summary: 'A module that was named as an agent can not be loaded, or exports no agent.',
    message: d => `${d.file} can't be used as an agent: ${d.problem}`,
    hint: () => 'give it a default export that works on a task, as the guide to evaluation shows',
  }),
} as const;
