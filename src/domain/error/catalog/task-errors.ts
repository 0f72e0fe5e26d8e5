import { entry, formatLatest, formatList } from './catalog-entry.js';

export const taskErrors = {
  TASK_NOT_FOUND: entry<{ id: string; known: readonly string[] }>({
    kind: 'not-found',
    summary: 'No task has that id or id prefix.',
    message: d => `there is no task ${JSON.stringify(d.id)}; ${formatLatest(d.known)}`,
    hint: () => 'list them with: carrel task ls --all',
  }),
  TASK_AMBIGUOUS: entry<{ id: string; matches: readonly string[] }>({
    kind: 'user',
    summary: 'An id prefix matches several tasks.',
    message: d => `${JSON.stringify(d.id)} matches several tasks: ${formatList(d.matches)}`,
    hint: () => 'use more characters of the id',
  }),
  TASK_BUSY: entry<{ id: string; status: string; wanted: string }>({
    kind: 'conflict',
    summary: 'Another process is working on the task, or its status does not allow the request.',
    message: d => `the task ${d.id} is ${d.status}; it can't be ${d.wanted}`,
    hint: d => `see the task with: carrel task show ${d.id}`,
  }),
  TASK_NOT_STARTED: entry<{ id: string }>({
    kind: 'environment',
    summary: 'The background process for the task did not start. The task was cancelled.',
    message: d => `cannot start a background process for the task ${d.id}`,
    hint: d => `run it in the foreground with: carrel task retry ${d.id}`,
  }),
  TASK_HAS_NO_WORK: entry<{ id: string; problem: string }>({
    kind: 'conflict',
    summary: 'The task has no branch or snapshot to land or publish.',
    message: d => `the task ${d.id} has nothing to land: ${d.problem}`,
    hint: d => `see the task with: carrel task show ${d.id}`,
  }),
  UNKNOWN_WORKFLOW: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'user',
    summary: 'No workflow has that name.',
    message: d => `there is no workflow ${JSON.stringify(d.name)}; known: ${formatList(d.known, 12)}`,
    hint: d => (d.nearest ? `did you mean ${d.nearest}?` : 'list them with: carrel workflow ls'),
  }),
  UNKNOWN_TRIGGER: entry<{ trigger: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'user',
    summary: 'No workflow lists that trigger.',
    message: d =>
      `no workflow has the trigger ${JSON.stringify(d.trigger)}; known: ${formatList(d.known, 12)}`,
    hint: d =>
      d.nearest ? `did you mean ${d.nearest}?` : 'see the triggers with: carrel workflow show NAME',
  }),
  WORKFLOW_NAME_DIFFERS: entry<{ file: string; name: string; expected: string }>({
    kind: 'config',
    summary: 'The name inside a workflow file does not match its file name.',
    message: d => `${d.file} has name: ${d.name}; expected ${d.expected}, like the file name`,
    hint: d => `rename the file to ${d.name}.yaml, or write name: ${d.expected}`,
  }),
  UNKNOWN_AGENT: entry<{
    name: string;
    where: string;
    known: readonly string[];
    nearest?: string | undefined;
  }>({
    kind: 'config',
    summary: 'A stage or an option names an agent that is not defined.',
    message: d =>
      `${d.where} names the unknown agent ${JSON.stringify(d.name)}; known: ${formatList(d.known, 20)}`,
    hint: d =>
      d.nearest
        ? `did you mean ${d.nearest}?`
        : `define it in .carrel/agents/${d.name}.md, or under agents: in the configuration`,
  }),
  MISSING_INPUT: entry<{ workflow: string; stage: string; input: string; known: readonly string[] }>({
    kind: 'config',
    summary: 'A stage reads an input that no earlier stage of the workflow produces.',
    message: d =>
      `stage ${d.stage} of ${d.workflow} reads ${JSON.stringify(d.input)}, which no earlier stage produces; available: ${formatList(d.known)}`,
    hint: d => `add ${d.input} to the outputs of an earlier stage`,
  }),
  TASK_COMMANDS_NOT_TRUSTED: entry<{ repository: string; commands: readonly string[] }>({
    kind: 'conflict',
    summary:
      'The repository defines agents, checks or validations with commands that the user has not approved.',
    message: d =>
      `${d.repository} wants to run commands that you have not approved: ${d.commands.join(' ; ')}`,
    hint: () =>
      'review and approve them with: carrel trust — or approve them for this task only with --trust',
  }),
  PROGRAM_NOT_INSTALLED: entry<{ agent: string; program: string; install: string; isInside: boolean }>({
    kind: 'environment',
    summary: "An agent's program is not installed on this machine, or not visible in the sandbox.",
    message: d =>
      `the agent ${d.agent} needs the program ${d.program}, which is not ${d.isInside ? 'on PATH inside the sandbox' : 'on PATH'}`,
    hint: d =>
      d.isInside
        ? `add the directories of the program, and of the files it links to, to sandbox.readable; ${d.install}`
        : d.install,
  }),
  AGENT_KEY_MISSING: entry<{ agent: string; variables: readonly string[] }>({
    kind: 'environment',
    summary: 'An agent in a sandbox can use neither your login nor an API key.',
    message: d =>
      `the agent ${d.agent} has no API key inside the sandbox; none of these is set: ${d.variables.join(', ')}`,
    hint: d => `set one with: export ${d.variables[0]}=... — then run the command again`,
  }),
  UNKNOWN_REMOTE: entry<{ remote: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'user',
    summary: 'The repository has no remote with that name.',
    message: d => `there is no remote ${JSON.stringify(d.remote)}; known: ${formatList(d.known)}`,
    hint: d => (d.nearest ? `did you mean ${d.nearest}?` : `add it with: git remote add ${d.remote} URL`),
  }),
  PUSH_REFUSED: entry<{ remote: string; branch: string; reason: string }>({
    kind: 'conflict',
    summary: 'A remote rejected the branch of a task. Nothing there was overwritten.',
    message: d => `${d.remote} rejected ${d.branch}: ${d.reason}`,
    hint: d => `see its commits with: git fetch ${d.remote} && git log ${d.remote}/${d.branch}`,
  }),
  GH_MISSING: entry<Record<string, never>>({
    kind: 'environment',
    summary: 'Carrel opens pull requests with gh, which is not on PATH. Nothing was published.',
    message: () => 'gh was not found on PATH; Carrel needs it to open pull requests',
    hint: () => 'install it from https://cli.github.com and log in with: gh auth login',
  }),
  FORGE_PROGRAM_MISSING: entry<{ wanted: string }>({
    kind: 'environment',
    summary: 'Carrel reads issues with gh or glab, and neither is on PATH.',
    message: d => `${d.wanted} was not found on PATH; Carrel needs it to read the issue`,
    hint: d => `install ${d.wanted} and log in with: ${d.wanted} auth login`,
  }),
  ISSUE_NOT_READ: entry<{ number: number; program: string; exitCode: number | null; output: string }>({
    kind: 'failed',
    summary: 'The program gh or glab could not show the issue. No task was created.',
    message: d =>
      `${d.program} issue view ${d.number} failed with exit status ${d.exitCode ?? 'none (killed)'}: ${d.output || 'no message'}`,
    hint: d => `log in with: ${d.program} auth login — or look for the issue with: ${d.program} issue list`,
  }),
  PULL_REQUEST_FAILED: entry<{ branch: string; exitCode: number | null; output: string }>({
    kind: 'failed',
    summary: 'The branch was pushed, but gh could not open a pull request.',
    message: d =>
      `${d.branch} was pushed, but gh pr create failed with exit status ${d.exitCode ?? 'none (killed)'}: ${d.output || 'no message'}`,
    hint: d => `open it yourself with: gh pr create --head ${d.branch}`,
  }),
} as const;
