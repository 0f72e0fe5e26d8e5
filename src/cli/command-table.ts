import type { CommandModule } from './command.js';

/** One line per command: enough for `carrel --help`, while the command itself is loaded only when it is called. */
export interface CommandEntry {
  /** One word, or a noun and a verb. commands/<noun>/<verb>.ts defines it. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Undefined for what only scripts call. */
  readonly group?: CommandGroup;
  /** From its second word on, everything belongs to the command that is to be run. */
  readonly takesCommandWords?: true;
  readonly load: () => Promise<CommandModule>;
}

export const commandGroups = [
  'Run tasks',
  'Evaluate agents',
  'Make and use workspaces',
  'Keep and land work',
  'Clean up',
  'Keep workspaces warm',
  'Serve and connect',
  'Set up',
] as const;
type CommandGroup = (typeof commandGroups)[number];

const [RUN, EVALUATE, MAKE, KEEP, CLEAN, POOL, SERVE, SET_UP] = commandGroups;

export const commandTable: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'Have a task done by agents in a workspace of its own, and follow it',
    group: RUN,
    load: () => import('./commands/run.js'),
  },
  {
    name: 'task ls',
    summary: 'List the tasks of this repository, or all',
    group: RUN,
    load: () => import('./commands/task/ls.js'),
  },
  {
    name: 'task show',
    summary: 'Show one task with everything that is known about it',
    group: RUN,
    load: () => import('./commands/task/show.js'),
  },
  {
    name: 'task logs',
    summary: 'Print what a task and its agents have told',
    group: RUN,
    load: () => import('./commands/task/logs.js'),
  },
  {
    name: 'task cancel',
    summary: 'End a task and all that it started; its work is kept',
    group: RUN,
    load: () => import('./commands/task/cancel.js'),
  },
  {
    name: 'task retry',
    summary: 'Go on with a task from the last stage that succeeded',
    group: RUN,
    load: () => import('./commands/task/retry.js'),
  },
  {
    name: 'task publish',
    summary: "Push a task's branch, and open a pull request when asked to",
    group: RUN,
    load: () => import('./commands/task/publish.js'),
  },
  {
    name: 'workflow ls',
    summary: 'List the workflows that a task can take',
    group: RUN,
    load: () => import('./commands/workflow/ls.js'),
  },
  {
    name: 'workflow show',
    summary: 'Show the stages of a workflow, as a task would run them',
    group: RUN,
    load: () => import('./commands/workflow/show.js'),
  },
  {
    name: 'workflow check',
    summary: 'Find mistakes in workflows and agents before anything runs',
    group: RUN,
    load: () => import('./commands/workflow/check.js'),
  },
  {
    name: 'eval run',
    summary: 'Have an agent try the tasks of a data set, and judge its work',
    group: EVALUATE,
    load: () => import('./commands/eval/run.js'),
  },
  {
    name: 'eval resume',
    summary: 'Go on with a batch run: what is done is not repeated',
    group: EVALUATE,
    load: () => import('./commands/eval/resume.js'),
  },
  {
    name: 'eval ls',
    summary: 'List batch runs',
    group: EVALUATE,
    load: () => import('./commands/eval/ls.js'),
  },
  {
    name: 'eval show',
    summary: 'Show a batch run, or the attempts of one task',
    group: EVALUATE,
    load: () => import('./commands/eval/show.js'),
  },
  {
    name: 'eval compare',
    summary: 'Compare batch runs task by task',
    group: EVALUATE,
    load: () => import('./commands/eval/compare.js'),
  },
  {
    name: 'eval grade',
    summary: 'Judge the work of a batch run once more, without running agents',
    group: EVALUATE,
    load: () => import('./commands/eval/grade.js'),
  },
  {
    name: 'eval check',
    summary: 'Look whether the tasks of a data set judge what they should',
    group: EVALUATE,
    load: () => import('./commands/eval/check.js'),
  },
  {
    name: 'eval datasets',
    summary: 'List the tasks of a data set',
    group: EVALUATE,
    load: () => import('./commands/eval/datasets.js'),
  },
  {
    name: 'eval export',
    summary: 'Write a batch run in a format that other tools read',
    group: EVALUATE,
    load: () => import('./commands/eval/export.js'),
  },
  {
    name: 'eval rm',
    summary: 'Remove the results of a batch run, and the files kept of its attempts',
    group: EVALUATE,
    load: () => import('./commands/eval/rm.js'),
  },
  {
    name: 'up',
    summary: 'Make a workspace and print its path',
    group: MAKE,
    load: () => import('./commands/up.js'),
  },
  {
    name: 'ls',
    aliases: ['ps'],
    summary: 'List the workspaces of this repository, or all',
    group: MAKE,
    load: () => import('./commands/ls.js'),
  },
  {
    name: 'show',
    summary: 'Show one workspace with everything that is known about it',
    group: MAKE,
    load: () => import('./commands/show.js'),
  },
  {
    name: 'path',
    summary: 'Print the path of a workspace',
    group: MAKE,
    load: () => import('./commands/path.js'),
  },
  {
    name: 'open',
    summary: 'Open a workspace in an editor',
    group: MAKE,
    load: () => import('./commands/open.js'),
  },
  {
    name: 'exec',
    summary: 'Run a command in a workspace',
    group: MAKE,
    takesCommandWords: true,
    load: () => import('./commands/exec.js'),
  },
  {
    name: 'shell',
    summary: 'Start a shell in a workspace',
    group: MAKE,
    load: () => import('./commands/shell.js'),
  },
  {
    name: 'diff',
    summary: 'Print what changed in a workspace as a patch that git apply takes',
    group: KEEP,
    load: () => import('./commands/diff.js'),
  },
  {
    name: 'snapshot',
    summary: 'Keep everything in a workspace as it is now',
    group: KEEP,
    load: () => import('./commands/snapshot.js'),
  },
  {
    name: 'snapshots',
    summary: 'List snapshots',
    group: KEEP,
    load: () => import('./commands/snapshots.js'),
  },
  {
    name: 'restore',
    summary: 'Bring a snapshot back as a workspace and print its path',
    group: KEEP,
    load: () => import('./commands/restore.js'),
  },
  {
    name: 'land',
    summary: "Bring a workspace's commits to a branch",
    group: KEEP,
    load: () => import('./commands/land.js'),
  },
  {
    name: 'down',
    summary: 'Remove a workspace; refuses when work would be lost',
    group: CLEAN,
    load: () => import('./commands/down.js'),
  },
  {
    name: 'gc',
    summary: 'Plan the removal of what is no longer needed; acts only with --yes',
    group: CLEAN,
    load: () => import('./commands/gc.js'),
  },
  {
    name: 'worktrees list',
    summary: 'List the workspaces of this repository, or all',
    group: CLEAN,
    load: () => import('./commands/worktrees/list.js'),
  },
  {
    name: 'worktrees cleanup',
    summary: 'Plan the removal of old workspaces; acts only with --yes',
    group: CLEAN,
    load: () => import('./commands/worktrees/cleanup.js'),
  },
  {
    name: 'worktrees remove',
    summary: 'Remove a workspace; refuses when work would be lost',
    group: CLEAN,
    load: () => import('./commands/worktrees/remove.js'),
  },
  {
    name: 'pool status',
    summary: 'Show the warm workspaces of this repository',
    group: POOL,
    load: () => import('./commands/pool/status.js'),
  },
  {
    name: 'pool warm',
    summary: 'Make warm workspaces until as many as asked for are free',
    group: POOL,
    load: () => import('./commands/pool/warm.js'),
  },
  {
    name: 'pool drain',
    summary: 'Destroy the warm workspaces that nobody uses',
    group: POOL,
    load: () => import('./commands/pool/drain.js'),
  },
  {
    name: 'serve',
    summary: 'Serve the HTTP API and the dashboard',
    group: SERVE,
    load: () => import('./commands/serve.js'),
  },
  {
    name: 'dashboard',
    summary: 'Print a link that lets a browser into the dashboard of a server',
    group: SERVE,
    load: () => import('./commands/dashboard.js'),
  },
  {
    name: 'story run',
    summary: 'Send stories to a server and check what comes of them',
    group: SERVE,
    load: () => import('./commands/story/run.js'),
  },
  {
    name: 'mcp',
    summary: 'Serve workspaces and tasks to an agent over MCP, on standard input and output',
    group: SERVE,
    load: () => import('./commands/mcp.js'),
  },
  {
    name: 'install',
    summary: 'Show or write what an agent needs in its configuration to use Carrel',
    group: SERVE,
    load: () => import('./commands/install.js'),
  },
  {
    name: 'hook worktree-create',
    summary: 'Make a workspace for a worktree that Claude Code asks for, and print its path',
    group: SERVE,
    load: () => import('./commands/hook/worktree-create.js'),
  },
  {
    name: 'hook worktree-remove',
    summary: 'Remove the workspace of a worktree that Claude Code is done with, when nothing can be lost',
    group: SERVE,
    load: () => import('./commands/hook/worktree-remove.js'),
  },
  {
    name: 'init',
    summary: 'Write .carrel/config.yaml and example workflows; never overwrites',
    group: SET_UP,
    load: () => import('./commands/init.js'),
  },
  {
    name: 'trust',
    summary: 'Approve the commands that this repository brings, exactly as they read now',
    group: SET_UP,
    load: () => import('./commands/trust.js'),
  },
  {
    name: 'config show',
    summary: 'Show the configuration in force',
    group: SET_UP,
    load: () => import('./commands/config/show.js'),
  },
  {
    name: 'doctor',
    summary: 'Check this machine and this repository',
    group: SET_UP,
    load: () => import('./commands/doctor.js'),
  },
  {
    name: 'image build',
    summary: 'Make the image that containers run in, from .carrel/Dockerfile or of this machine',
    group: SET_UP,
    load: () => import('./commands/image/build.js'),
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a --json answer, or the names of all',
    group: SET_UP,
    load: () => import('./commands/schema.js'),
  },
  {
    name: 'completion',
    summary: 'Print the completion script for a shell',
    group: SET_UP,
    load: () => import('./commands/completion.js'),
  },
  {
    name: 'completion-names',
    summary: 'Print the names of the workspaces, for completion scripts',
    load: () => import('./commands/completion-names.js'),
  },
  {
    name: 'pool refill',
    summary: 'Make the warm workspaces that `carrel up` took; runs in the background',
    load: () => import('./commands/pool/refill.js'),
  },
  {
    name: 'task execute',
    summary: 'Work on a task that waits; runs in the background',
    load: () => import('./commands/task/execute.js'),
  },
  {
    name: 'settle',
    summary:
      'Delete the files of removed workspaces, when nothing in them can be lost; runs in the background',
    load: () => import('./commands/settle.js'),
  },
];
