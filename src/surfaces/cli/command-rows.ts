import { commandGroups } from '../../operations/operation.js';
import type { CommandEntry } from './command-table.js';

const [RUN, , , , CLEAN, , SERVE, SET_UP] = commandGroups;

/** One that an operation declares has its summary and group from there. */
export type CommandRow = CommandEntry | Pick<CommandEntry, 'name' | 'takesCommandWords' | 'load'>;

/** In the order of help and of the reference. Each has a file in commands/. */
export const commandRows: readonly CommandRow[] = [
  {
    name: 'run',
    load: () => import('./commands/task/run-command.js'),
  },
  {
    name: 'task ls',
    load: () => import('./commands/task/task-ls-command.js'),
  },
  {
    name: 'task show',
    load: () => import('./commands/task/task-show-command.js'),
  },
  {
    name: 'task logs',
    load: () => import('./commands/task/task-logs-command.js'),
  },
  {
    name: 'task diff',
    load: () => import('./commands/task/task-diff-command.js'),
  },
  {
    name: 'task cancel',
    load: () => import('./commands/task/task-cancel-command.js'),
  },
  {
    name: 'task approve',
    load: () => import('./commands/task/task-approve-command.js'),
  },
  {
    name: 'task reject',
    load: () => import('./commands/task/task-reject-command.js'),
  },
  {
    name: 'task retry',
    load: () => import('./commands/task/task-retry-command.js'),
  },
  {
    name: 'task publish',
    load: () => import('./commands/task/task-publish-command.js'),
  },
  {
    name: 'workflow ls',
    summary: 'List the workflows that tasks can use',
    group: RUN,
    load: () => import('./commands/task/workflow-ls-command.js'),
  },
  {
    name: 'workflow show',
    summary: 'Show the stages of a workflow',
    group: RUN,
    load: () => import('./commands/task/workflow-show-command.js'),
  },
  {
    name: 'workflow check',
    summary: 'Check workflows and agents for mistakes without running them',
    group: RUN,
    load: () => import('./commands/task/workflow-check-command.js'),
  },
  {
    name: 'eval run',
    load: () => import('./commands/eval/eval-run-command.js'),
  },
  {
    name: 'eval resume',
    load: () => import('./commands/eval/eval-resume-command.js'),
  },
  {
    name: 'eval ls',
    load: () => import('./commands/eval/eval-ls-command.js'),
  },
  {
    name: 'eval show',
    load: () => import('./commands/eval/eval-show-command.js'),
  },
  {
    name: 'eval compare',
    load: () => import('./commands/eval/eval-compare-command.js'),
  },
  {
    name: 'eval grade',
    load: () => import('./commands/eval/eval-grade-command.js'),
  },
  {
    name: 'eval check',
    load: () => import('./commands/eval/eval-check-command.js'),
  },
  {
    name: 'eval datasets',
    load: () => import('./commands/eval/eval-datasets-command.js'),
  },
  {
    name: 'eval export',
    load: () => import('./commands/eval/eval-export-command.js'),
  },
  {
    name: 'eval rm',
    load: () => import('./commands/eval/eval-rm-command.js'),
  },
  {
    name: 'up',
    load: () => import('./commands/workspace/up-command.js'),
  },
  {
    name: 'ls',
    load: () => import('./commands/workspace/ls-command.js'),
  },
  {
    name: 'show',
    load: () => import('./commands/workspace/show-command.js'),
  },
  {
    name: 'allow',
    load: () => import('./commands/workspace/allow-command.js'),
  },
  {
    name: 'path',
    load: () => import('./commands/workspace/path-command.js'),
  },
  {
    name: 'open',
    load: () => import('./commands/workspace/open-command.js'),
  },
  {
    name: 'exec',
    takesCommandWords: true,
    load: () => import('./commands/workspace/exec-command.js'),
  },
  {
    name: 'shell',
    load: () => import('./commands/workspace/shell-command.js'),
  },
  {
    name: 'diff',
    load: () => import('./commands/work/diff-command.js'),
  },
  {
    name: 'snapshot',
    load: () => import('./commands/work/snapshot-command.js'),
  },
  {
    name: 'snapshots',
    load: () => import('./commands/work/snapshots-command.js'),
  },
  {
    name: 'reset',
    load: () => import('./commands/work/reset-command.js'),
  },
  {
    name: 'land',
    load: () => import('./commands/work/land-command.js'),
  },
  {
    name: 'down',
    load: () => import('./commands/cleanup/down-command.js'),
  },
  {
    name: 'gc',
    load: () => import('./commands/cleanup/gc-command.js'),
  },
  {
    name: 'worktrees list',
    summary: 'List the workspaces of this repository or of all repositories',
    group: CLEAN,
    load: () => import('./commands/cleanup/worktrees-list-command.js'),
  },
  {
    name: 'worktrees cleanup',
    summary: 'List old workspaces that can be removed; with --yes, remove them',
    group: CLEAN,
    load: () => import('./commands/cleanup/worktrees-cleanup-command.js'),
  },
  {
    name: 'worktrees remove',
    summary: 'Remove a workspace; refuses if work would be lost',
    group: CLEAN,
    load: () => import('./commands/cleanup/worktrees-remove-command.js'),
  },
  {
    name: 'pool status',
    load: () => import('./commands/pool/pool-status-command.js'),
  },
  {
    name: 'pool warm',
    load: () => import('./commands/pool/pool-warm-command.js'),
  },
  {
    name: 'pool drain',
    load: () => import('./commands/pool/pool-drain-command.js'),
  },
  {
    name: 'serve',
    summary: 'Serve the HTTP API and the dashboard',
    group: SERVE,
    load: () => import('./commands/connect/serve-command.js'),
  },
  {
    name: 'dashboard',
    summary: 'Print a login link for the dashboard of a server',
    group: SERVE,
    load: () => import('./commands/connect/dashboard-command.js'),
  },
  {
    name: 'worker',
    summary: 'Run attempts of a fleet on this machine until it is stopped',
    group: SERVE,
    load: () => import('./commands/fleet/worker-command.js'),
  },
  {
    name: 'fleet init',
    summary: 'Create a fleet: its tables, where its files are, and your key',
    group: SERVE,
    load: () => import('./commands/fleet/fleet-init-command.js'),
  },
  {
    name: 'fleet ls',
    summary: 'List the hosts and runs of a fleet',
    group: SERVE,
    load: () => import('./commands/fleet/fleet-ls-command.js'),
  },
  {
    name: 'fleet show',
    summary: 'Show a run of a fleet: what hosts do, and which jobs no host takes',
    group: SERVE,
    load: () => import('./commands/fleet/fleet-show-command.js'),
  },
  {
    name: 'fleet drain',
    summary: 'Let a host finish what it has and claim nothing more',
    group: SERVE,
    load: () => import('./commands/fleet/fleet-drain-command.js'),
  },
  {
    name: 'fleet gc',
    summary: 'Remove old files of jobs and results that no run needs',
    group: SERVE,
    load: () => import('./commands/fleet/fleet-gc-command.js'),
  },
  {
    name: 'fleet key',
    summary: 'Print the public key that workers accept your jobs with',
    group: SERVE,
    load: () => import('./commands/fleet/fleet-key-command.js'),
  },
  {
    name: 'fleet template',
    summary: 'Print a Slurm script, a Kubernetes manifest or a systemd unit that starts workers',
    group: SERVE,
    load: () => import('./commands/fleet/fleet-template-command.js'),
  },
  {
    name: 'story run',
    summary: 'Run stories on a server and check the results',
    group: SERVE,
    load: () => import('./commands/connect/story-run-command.js'),
  },
  {
    name: 'story ls',
    summary: 'List the story runs, newest first',
    group: SERVE,
    load: () => import('./commands/connect/story-ls-command.js'),
  },
  {
    name: 'story show',
    summary: 'Show the results of a story run',
    group: SERVE,
    load: () => import('./commands/connect/story-show-command.js'),
  },
  {
    name: 'story compare',
    summary: 'Compare two story runs, story by story',
    group: SERVE,
    load: () => import('./commands/connect/story-compare-command.js'),
  },
  {
    name: 'mcp',
    summary: 'Serve workspaces and tasks to an agent over MCP on stdin and stdout',
    group: SERVE,
    load: () => import('./commands/connect/mcp-command.js'),
  },
  {
    name: 'install',
    summary: 'Show or write the configuration that an agent needs to use Carrel',
    group: SERVE,
    load: () => import('./commands/connect/install-command.js'),
  },
  {
    name: 'hook worktree-create',
    summary: 'Create a workspace for a worktree of Claude Code and print its path',
    group: SERVE,
    load: () => import('./commands/connect/hook-worktree-create-command.js'),
  },
  {
    name: 'hook worktree-remove',
    summary: 'Remove the workspace of a worktree of Claude Code if no work would be lost',
    group: SERVE,
    load: () => import('./commands/connect/hook-worktree-remove-command.js'),
  },
  {
    name: 'init',
    summary: 'Write .carrel/config.yaml and example workflows; never overwrites files',
    group: SET_UP,
    load: () => import('./commands/setup/init-command.js'),
  },
  {
    name: 'trust',
    summary: "Approve the exact commands in this repository's configuration",
    group: SET_UP,
    load: () => import('./commands/setup/trust-command.js'),
  },
  {
    name: 'config show',
    load: () => import('./commands/setup/config-show-command.js'),
  },
  {
    name: 'doctor',
    load: () => import('./commands/setup/doctor-command.js'),
  },
  {
    name: 'image build',
    summary: 'Build the container image from .carrel/Dockerfile or from the programs of this machine',
    group: SET_UP,
    load: () => import('./commands/setup/image-build-command.js'),
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a --json answer, or list all schemas',
    group: SET_UP,
    load: () => import('./commands/setup/schema-command.js'),
  },
  {
    name: 'completion',
    summary: 'Print the completion script for a shell',
    group: SET_UP,
    load: () => import('./commands/setup/completion-command.js'),
  },
  {
    name: 'completion-names',
    summary: 'Print the names of the workspaces, for completion scripts',
    load: () => import('./commands/setup/completion-names-command.js'),
  },
  {
    name: 'pool refill',
    summary: 'Replace the warm workspaces that `carrel up` took; runs in the background',
    load: () => import('./commands/pool/pool-refill-command.js'),
  },
  {
    name: 'task execute',
    summary: 'Run a waiting task; runs in the background',
    load: () => import('./commands/task/task-execute-command.js'),
  },
  {
    name: 'checkpoint',
    summary: 'Take a snapshot of workspaces that have changed since the last one; runs in the background',
    load: () => import('./commands/work/checkpoint-command.js'),
  },
  {
    name: 'settle',
    summary: 'Delete the files of removed workspaces if no work would be lost; runs in the background',
    load: () => import('./commands/cleanup/settle-command.js'),
  },
];
