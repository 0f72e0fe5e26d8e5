import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Task } from '../../../src/domain/task/task.js';
import { commitFiles, writeFiles } from '../repository.js';
import { type GroupSite, makeGroupSite } from './group-site.js';

/** Three repositories, and a workflow of `app` whose tasks work in `app` and `web`. */
export interface GroupTasks extends GroupSite {
  /** `carrel run` of the workflow; returns the task in its final state. */
  run(...args: string[]): Task;
  retry(id: string, ...args: string[]): Task;
  /** The newest task. */
  latest(): Task;
  /** What agents have appended to `$TALLY`, line by line. */
  tally(): string[];
}

export interface GroupTasksOptions {
  /** Shell scripts of the user, by the name of the agent. */
  readonly agents: Readonly<Record<string, string>>;
  /** Of the workflow `work`. */
  readonly stages: readonly Readonly<Record<string, unknown>>[];
  /** Further keys of the workflow. */
  readonly workflow?: Readonly<Record<string, unknown>>;
  /** Further keys of the user's configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly isTrusted?: boolean;
}

/** For agents: where the part with this alias is. Of the shell alone, because a bare machine has no sed. */
const AT = `at() { rest=\${CARREL_REPOSITORIES#*\\"$1\\":\\"}; printf %s "\${rest%%\\"*}"; };`;

export function makeGroupTasks(options: GroupTasksOptions): GroupTasks {
  const { agents, stages, workflow, config, isTrusted = true } = options;
  const site = makeGroupSite();
  const { carrel, repositories } = site;
  const definition = {
    name: 'work',
    description: 'For a test',
    repositories: ['../web'],
    stages,
    ...workflow,
  };
  commitFiles(repositories.app, { '.carrel/workflows/work.yaml': stringify(definition) });
  const tallyFile = join(carrel.home, 'tally');
  const commands = Object.entries(agents).map(([name, command]) => [
    name,
    { command: `${AT} ${command}`, environment: { TALLY: tallyFile } },
  ]);
  const settings = {
    tasks: { workflow: 'work', retryDelay: '10ms' },
    ...config,
    agents: Object.fromEntries(commands),
  };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(settings) });
  if (isTrusted) site.ok('trust', '--yes');
  const toTask = (...args: string[]): Task => {
    const { stdout, stderr, status } = carrel.run(repositories.app, ...args, '--json');
    const answer = stdout === '' ? {} : JSON.parse(stdout);
    if (answer.id === undefined) throw new Error(`no task (exit status ${status}): ${stdout}${stderr}`);
    return answer;
  };
  return {
    ...site,
    // A task stays known, and its branch stays until its work has landed.
    settle: (expected = /^(state: tasks|ref: refs\/heads\/carrel\/do-it-.*)$/) => site.settle(expected),
    run: (...args) => toTask('run', 'Do it', ...args),
    retry: (id, ...args) => toTask('task', 'retry', id, ...args),
    latest: () => carrel.json<Task[]>(repositories.app, 'task', 'ls').at(-1) as Task,
    tally: () => (existsSync(tallyFile) ? readFileSync(tallyFile, 'utf8').split('\n').filter(Boolean) : []),
  };
}
