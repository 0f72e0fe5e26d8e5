import { entry, formatList } from './entry.js';

export const taskErrors = {
  TASK_NOT_FOUND: entry<{ id: string; known: readonly string[] }>({
    kind: 'not-found',
    summary: 'No task has that id or id prefix.',
    message: d => `there is no task ${JSON.stringify(d.id)}; the latest are: ${formatList(d.known)}`,
    hint: () => 'list them with: carrel task ls --all',
  }),
  TASK_AMBIGUOUS: entry<{ id: string; matches: readonly string[] }>({
    kind: 'user',
    summary: 'The beginning of an id fits several tasks.',
    message: d => `${JSON.stringify(d.id)} fits several tasks: ${formatList(d.matches)}`,
    hint: () => 'use more of the id',
  }),
  TASK_BUSY: entry<{ id: string; status: string; wanted: string }>({
    kind: 'conflict',
    summary: 'Another process works on the task, or it is past what was asked for.',
    message: d => `the task ${d.id} is ${d.status}; it can't be ${d.wanted}`,
    hint: d => `look at it with: carrel task show ${d.id}`,
  }),
  TASK_NOT_STARTED: entry<{ id: string }>({
    kind: 'environment',
    summary: 'No process could be started in the background to work on the task; the task was cancelled.',
    message: d => `no process could be started in the background for the task ${d.id}`,
    hint: d => `work on it here with: carrel task retry ${d.id}`,
  }),
  TASK_HAS_NO_WORK: entry<{ id: string; problem: string }>({
    kind: 'conflict',
    summary: 'The task has no branch or snapshot whose work could be landed or published.',
    message: d => `the task ${d.id} has nothing to land: ${d.problem}`,
    hint: d => `look at it with: carrel task show ${d.id}`,
  }),
  UNKNOWN_WORKFLOW: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'user',
    summary: 'No workflow has that name.',
    message: d => `there is no workflow ${JSON.stringify(d.name)}; known: ${formatList(d.known, 12)}`,
    hint: d => (d.nearest ? `did you mean ${d.nearest}?` : 'list them with: carrel workflow ls'),
  }),
  WORKFLOW_NAME_DIFFERS: entry<{ file: string; name: string; expected: string }>({
    kind: 'config',
    summary: 'The name within a workflow file is not the name of the file.',
    message: d => `${d.file} has name: ${d.name}; expected ${d.expected}, as the file is called`,
    hint: d => `rename the file to ${d.name}.yaml, or write name: ${d.expected}`,
  }),
  UNKNOWN_AGENT: entry<{
    name: string;
    where: string;
    known: readonly string[];
    nearest?: string | undefined;
  }>({
    kind: 'config',
    summary: 'A stage or an option names an agent that nobody defined.',
    message: d => `${d.where} names the agent ${JSON.stringify(d.name)}; known: ${formatList(d.known, 20)}`,
    hint: d =>
      d.nearest
        ? `did you mean ${d.nearest}?`
        : `define it in .carrel/agents/${d.name}.md, or under agents: in the configuration`,
  }),
  MISSING_INPUT: entry<{ workflow: string; stage: string; input: string; known: readonly string[] }>({
    kind: 'config',
    summary: 'A stage reads an input that no other stage of the workflow makes.',
    message: d =>
      `stage ${d.stage} of ${d.workflow} reads ${JSON.stringify(d.input)}, which no stage before it makes; made are: ${formatList(d.known)}`,
    hint: d => `add ${d.input} to the outputs of an earlier stage`,
  }),
  TASK_COMMANDS_NOT_TRUSTED: entry<{ repository: string; commands: readonly string[] }>({
    kind: 'conflict',
    summary: 'The repository brings agents, checks or validations whose commands the user has not approved.',
    message: d =>
      `${d.repository} wants to run commands that you have not approved: ${d.commands.join(' ; ')}`,
    hint: () => 'look at them and approve them with: carrel trust — or for this task alone with --trust',
  }),
  PROGRAM_NOT_INSTALLED: entry<{ agent: string; program: string; install: string; isInside: boolean }>({
    kind: 'environment',
    summary: 'The program of an agent is not on this machine, or not to be seen inside the sandbox.',
    message: d =>
      `the agent ${d.agent} needs the program ${d.program}, which is not ${d.isInside ? 'to be seen inside the sandbox' : 'in PATH'}`,
    hint: d =>
      d.isInside
        ? `install it below /usr, or name its directory in sandbox.readable; ${d.install}`
        : d.install,
  }),
  AGENT_KEY_MISSING: entry<{ agent: string; variables: readonly string[] }>({
    kind: 'environment',
    summary: 'An agent in a sandbox has no login of yours to use and no key in the environment.',
    message: d =>
      `the agent ${d.agent} has no key inside the sandbox; none of these is set: ${d.variables.join(', ')}`,
    hint: d => `set one with: export ${d.variables[0]}=... — then repeat`,
  }),
  UNKNOWN_REMOTE: entry<{ remote: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'user',
    summary: 'The repository has no remote of that name to publish to.',
    message: d => `there is no remote ${JSON.stringify(d.remote)}; known: ${formatList(d.known)}`,
    hint: d => (d.nearest ? `did you mean ${d.nearest}?` : `add it with: git remote add ${d.remote} URL`),
  }),
  PUSH_REFUSED: entry<{ remote: string; branch: string; reason: string }>({
    kind: 'conflict',
    summary: 'A remote did not take the branch of a task. Nothing there was overwritten.',
    message: d => `${d.remote} did not take ${d.branch}: ${d.reason}`,
    hint: d => `see what it has with: git fetch ${d.remote} && git log ${d.remote}/${d.branch}`,
  }),
  GH_MISSING: entry<Record<string, never>>({
    kind: 'environment',
    summary: 'Pull requests are made with the program gh, which is not in PATH. Nothing was published.',
    message: () => 'gh was not found on PATH; pull requests are made with it',
    hint: () => 'install it from https://cli.github.com and log in with: gh auth login',
  }),
  PULL_REQUEST_FAILED: entry<{ branch: string; exitCode: number | null; output: string }>({
    kind: 'failed',
    summary: 'The branch was pushed, but gh could not make a pull request of it.',
    message: d =>
      `${d.branch} was pushed, but gh pr create ended with exit status ${d.exitCode ?? 'none (killed)'}: ${d.output || 'no message'}`,
    hint: d => `make it by hand with: gh pr create --head ${d.branch}`,
  }),
} as const;
