import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Task } from '../../../src/domain/task/task.js';
import type { Carrel, Outcome } from '../carrel.js';
import { makeRepository, writeFiles } from '../repository.js';
import { createTidyCarrel } from '../workspace/test-workspace.js';

/** A repository, the real command with its own state, and agents that are shell scripts of the user. */
export interface ScriptedTasks {
  readonly repository: string;
  readonly carrel: Carrel;
  readonly temporary: string;
  /** What agents have appended to `$TALLY`, line by line. */
  tally(): string[];
  /** `carrel run` of the workflow; returns the task in its final state. */
  run(...args: string[]): Task;
  show(id: string): Task;
  retry(id: string, ...args: string[]): Task;
}

export interface ScriptedTasksOptions {
  /** Shell scripts, by the name of the agent. */
  readonly agents: Readonly<Record<string, string>>;
  /** How what they print is read; text by default. */
  readonly result?: 'json';
  /** Of the workflow `work`. */
  readonly stages: readonly Readonly<Record<string, unknown>>[];
  /** Further keys of the workflow. */
  readonly workflow?: Readonly<Record<string, unknown>>;
  /** Further keys of the user's configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Further variables for Carrel. */
  readonly environment?: Readonly<Record<string, string>>;
}

const FILES = { 'README.md': 'hello\n', 'source/one.txt': 'one\n', '.gitignore': '*.log\n' };

export function makeScriptedTasks(options: ScriptedTasksOptions): ScriptedTasks {
  const { agents, result, stages, workflow, config } = options;
  const definition = stringify({ name: 'work', description: 'For a test', stages, ...workflow });
  const repository = makeRepository({ ...FILES, '.carrel/workflows/work.yaml': definition });
  const carrel = createTidyCarrel(options.environment);
  const tallyFile = join(carrel.home, 'tally');
  const commands = Object.entries(agents).map(([name, command]) => [
    name,
    { command, environment: { TALLY: tallyFile }, ...(result && { result }) },
  ]);
  const settings = {
    tasks: { workflow: 'work', retryDelay: '10ms' },
    ...config,
    agents: Object.fromEntries(commands),
  };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(settings) });
  return {
    repository,
    carrel,
    temporary: carrel.env.TMPDIR as string,
    tally: () => (existsSync(tallyFile) ? readFileSync(tallyFile, 'utf8').split('\n').filter(Boolean) : []),
    run: (...args) => toTask(carrel.run(repository, 'run', 'Do it', ...args, '--json')),
    show: id => carrel.json<Task>(repository, 'task', 'show', id),
    retry: (id, ...args) => toTask(carrel.run(repository, 'task', 'retry', id, ...args, '--json')),
  };
}

function toTask({ stdout, stderr, status }: Outcome): Task {
  const answer = stdout === '' ? {} : JSON.parse(stdout);
  if (answer.id === undefined) throw new Error(`no task (exit status ${status}): ${stdout}${stderr}`);
  return answer;
}
