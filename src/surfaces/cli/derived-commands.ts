// Written by scripts/docs/generate-surfaces.mjs from the operations; do not edit.
import type { DerivedCommand } from './derive-command.js';

/** The commands that are derived from an operation, with all that their help and completion need. */
export const derivedCommands: readonly DerivedCommand[] = [
  {
    name: 'eval check',
    summary: 'Check a dataset for tasks that are broken, flaky or trivially solved',
    group: 'Evaluate agents',
    fields: [
      {
        name: 'dataset',
        required: true,
        type: 'string',
        description: 'golden, or the path of a file or directory',
        value: 'name',
      },
      {
        name: 'taskIds',
        type: 'array',
        description: 'run only these tasks, separated by commas',
        value: 'ids',
      },
      { name: 'tags', type: 'array', description: 'run only tasks with one of these tags', value: 'tags' },
      {
        name: 'difficulty',
        type: 'choice',
        choices: ['easy', 'medium', 'hard'],
        description: 'run only tasks of this difficulty',
        value: 'level',
      },
      { name: 'language', type: 'string', description: 'run only tasks in this language', value: 'name' },
      {
        name: 'sample',
        type: 'integer',
        isPositive: true,
        description: 'run a random sample of N tasks',
        value: 'number',
      },
      {
        name: 'shuffle',
        type: 'string',
        description: 'run the tasks in a random order with this seed',
        value: 'seed',
      },
      {
        name: 'parallelism',
        type: 'integer',
        isPositive: true,
        description: 'number of attempts at the same time (default: 2)',
        value: 'number',
      },
      {
        name: 'isolation',
        type: 'choice',
        choices: ['worktree', 'docker', 'full', 'none'],
        description:
          'where attempts run: worktree and full as for `carrel up`, docker: full in a container with the image of the task, none: a plain copy (default: worktree; none when they run one at a time)',
        value: 'kind',
      },
      {
        name: 'timeoutSeconds',
        type: 'number',
        isPositive: true,
        description: 'time limit of an agent for tasks that set none, such as 20m',
        flag: 'timeout',
        value: 'duration',
      },
      {
        name: 'repeats',
        type: 'integer',
        isPositive: true,
        description: 'run the reference solution N times (default: 3)',
        value: 'number',
      },
    ],
    load: () => import('../../batch/check.operation.js').then(module => module.checkBatchOperation),
  },
  {
    name: 'eval datasets',
    summary: 'List the tasks of a dataset',
    group: 'Evaluate agents',
    fields: [
      {
        name: 'dataset',
        position: 0,
        type: 'string',
        description: 'golden, or the path of a file or directory (default: golden)',
      },
    ],
    load: () =>
      import('../../batch/datasets/datasets.operation.js').then(module => module.datasetsBatchOperation),
  },
  {
    name: 'eval ls',
    summary: 'List batch runs',
    group: 'Evaluate agents',
    fields: [],
    load: () => import('../../batch/record/list.operation.js').then(module => module.listBatchesOperation),
  },
  {
    name: 'eval rm',
    summary: 'Remove the results of a batch run and the files of its attempts',
    group: 'Evaluate agents',
    fields: [
      {
        name: 'run',
        position: 0,
        required: true,
        type: 'string',
        description: 'the batch run: its id, the beginning of it, its directory, or latest',
      },
    ],
    load: () => import('../../batch/record/remove.operation.js').then(module => module.removeBatchOperation),
  },
  {
    name: 'eval show',
    summary: 'Show a batch run, or the attempts of one task',
    group: 'Evaluate agents',
    fields: [
      {
        name: 'run',
        position: 0,
        required: true,
        type: 'string',
        description: 'the batch run: its id, the beginning of it, its directory, or latest',
      },
    ],
    load: () => import('../../batch/record/show.operation.js').then(module => module.showBatchOperation),
  },
  {
    name: 'eval compare',
    summary: 'Compare batch runs task by task',
    group: 'Evaluate agents',
    fields: [
      {
        name: 'runs',
        position: 0,
        required: true,
        type: 'array',
        description: 'two or more runs; each is compared with the first',
      },
    ],
    load: () =>
      import('../../batch/report/comparison/compare.operation.js').then(
        module => module.compareBatchesOperation,
      ),
  },
  {
    name: 'eval export',
    summary: 'Export a batch run for other tools',
    group: 'Evaluate agents',
    fields: [
      {
        name: 'run',
        position: 0,
        required: true,
        type: 'string',
        description: 'the batch run: its id, the beginning of it, its directory, or latest',
      },
      {
        name: 'format',
        required: true,
        type: 'choice',
        choices: ['jsonl', 'junit', 'html', 'predictions', 'csv'],
        description: 'the format',
        value: 'format',
      },
    ],
    load: () => import('../../batch/report/export.operation.js').then(module => module.exportBatchOperation),
  },
  {
    name: 'eval grade',
    summary: 'Grade a batch run again without running agents',
    group: 'Evaluate agents',
    fields: [
      {
        name: 'run',
        position: 0,
        required: true,
        type: 'string',
        description: 'the batch run: its id, the beginning of it, its directory, or latest',
      },
    ],
    load: () => import('../../batch/run/grade.operation.js').then(module => module.gradeBatchOperation),
  },
  {
    name: 'eval resume',
    summary: 'Resume a batch run; finished attempts are not repeated',
    group: 'Evaluate agents',
    fields: [
      {
        name: 'run',
        position: 0,
        required: true,
        type: 'string',
        description: 'the batch run: its id, the beginning of it, its directory, or latest',
      },
    ],
    load: () => import('../../batch/run/resume.operation.js').then(module => module.resumeBatchOperation),
  },
  {
    name: 'eval run',
    summary: 'Run an agent on the tasks of a dataset and grade its work',
    group: 'Evaluate agents',
    fields: [
      {
        name: 'dataset',
        required: true,
        type: 'string',
        description: 'golden, or the path of a file or directory',
        value: 'name',
      },
      {
        name: 'taskIds',
        type: 'array',
        description: 'run only these tasks, separated by commas',
        value: 'ids',
      },
      { name: 'tags', type: 'array', description: 'run only tasks with one of these tags', value: 'tags' },
      {
        name: 'difficulty',
        type: 'choice',
        choices: ['easy', 'medium', 'hard'],
        description: 'run only tasks of this difficulty',
        value: 'level',
      },
      { name: 'language', type: 'string', description: 'run only tasks in this language', value: 'name' },
      {
        name: 'sample',
        type: 'integer',
        isPositive: true,
        description: 'run a random sample of N tasks',
        value: 'number',
      },
      {
        name: 'shuffle',
        type: 'string',
        description: 'run the tasks in a random order with this seed',
        value: 'seed',
      },
      {
        name: 'parallelism',
        type: 'integer',
        isPositive: true,
        description: 'number of attempts at the same time (default: 1)',
        value: 'number',
      },
      {
        name: 'isolation',
        type: 'choice',
        choices: ['worktree', 'docker', 'full', 'none'],
        description:
          'where attempts run: worktree and full as for `carrel up`, docker: full in a container with the image of the task, none: a plain copy (default: worktree; none when they run one at a time)',
        value: 'kind',
      },
      {
        name: 'timeoutSeconds',
        type: 'number',
        isPositive: true,
        description: 'time limit of an agent for tasks that set none, such as 20m',
        flag: 'timeout',
        value: 'duration',
      },
      {
        name: 'agent',
        type: 'string',
        description:
          'the agent to evaluate: oracle, nop, a preset, an agent of your configuration, a command or a module (default: tasks.agent)',
        value: 'name',
      },
      { name: 'model', type: 'string', description: 'the model that a preset uses', value: 'name' },
      {
        name: 'attempts',
        type: 'integer',
        isPositive: true,
        description: 'attempts per task (default: 1)',
        value: 'number',
      },
      {
        name: 'costLimitUsd',
        type: 'number',
        isPositive: true,
        description: 'stop the run when all attempts together have cost this many US dollars',
        flag: 'cost-limit',
        value: 'usd',
      },
      {
        name: 'out',
        type: 'string',
        description: "the directory for results (default: Carrel's state directory)",
        value: 'directory',
      },
      {
        name: 'gate',
        type: 'number',
        description: 'exit with 1 when the pass rate is lower than this, such as 0.8',
        value: 'rate',
      },
      { name: 'keepFailed', type: 'boolean', description: 'keep the files of failed attempts' },
      {
        name: 'quarantined',
        type: 'boolean',
        description: 'include tasks that `carrel eval check` found unsound',
      },
    ],
    load: () => import('../../batch/run/start.operation.js').then(module => module.startBatchOperation),
  },
  {
    name: 'exec',
    summary: 'Run a command in a workspace',
    group: 'Make and use workspaces',
    fields: [
      {
        name: 'workspace',
        position: 0,
        required: true,
        type: 'string',
        description: 'the workspace: its name, its id, or the beginning of its id',
      },
      {
        name: 'command',
        position: 1,
        required: true,
        type: 'array',
        description: 'the program and its arguments; everything from here on is passed unchanged',
      },
    ],
    load: () => import('../../operations/command/exec.operation.js').then(module => module.execInWorkspace),
  },
  {
    name: 'open',
    summary: 'Open a workspace in an editor, or a server in it in the browser',
    group: 'Make and use workspaces',
    fields: [
      {
        name: 'workspace',
        position: 0,
        required: true,
        type: 'string',
        description: 'the workspace: its name, its id, or the beginning of its id',
      },
      {
        name: 'with',
        type: 'string',
        description: 'the program to open it with, such as code',
        value: 'program',
      },
      {
        name: 'port',
        type: 'integer',
        isPositive: true,
        description:
          'open http://127.0.0.1:PORT in the browser instead; one of the ten ports of the workspace',
        value: 'port',
      },
    ],
    load: () => import('../../operations/command/open.operation.js').then(module => module.openWorkspace),
  },
  {
    name: 'shell',
    summary: 'Start a shell in a workspace',
    group: 'Make and use workspaces',
    fields: [
      {
        name: 'workspace',
        position: 0,
        required: true,
        type: 'string',
        description: 'the workspace: its name, its id, or the beginning of its id',
      },
    ],
    load: () => import('../../operations/command/shell.operation.js').then(module => module.shellInWorkspace),
  },
  {
    name: 'doctor',
    summary: 'Check this machine and this repository',
    group: 'Set up',
    fields: [
      {
        name: 'repair',
        type: 'boolean',
        description:
          'first rebuild lost records of workspaces and snapshots from the repository, and keep a copy of the old records',
      },
      {
        name: 'deep',
        type: 'boolean',
        description: 'also verify every snapshot of the repository: hash its objects and restore it',
      },
      { name: 'all', type: 'boolean', description: 'with --deep, verify the snapshots of all repositories' },
    ],
    load: () =>
      import('../../operations/diagnosis/diagnose.operation.js').then(
        module => module.diagnoseDoctorOperation,
      ),
  },
  {
    name: 'pool drain',
    summary: 'Remove the warm workspaces that are not in use',
    group: 'Keep workspaces warm',
    fields: [],
    load: () => import('../../operations/pool/drain.operation.js').then(module => module.drainPool),
  },
  {
    name: 'pool status',
    summary: 'Show the warm workspaces of this repository',
    group: 'Keep workspaces warm',
    fields: [],
    load: () => import('../../operations/pool/status.operation.js').then(module => module.showPool),
  },
  {
    name: 'pool warm',
    summary: 'Make warm workspaces until the requested number is free',
    group: 'Keep workspaces warm',
    fields: [
      {
        name: 'count',
        position: 0,
        type: 'integer',
        isPositive: true,
        description: 'number of free workspaces (default: pool.size in the configuration)',
      },
      {
        name: 'base',
        type: 'string',
        description: "the commit, branch or tag to check out (default: the repository's HEAD)",
        value: 'ref',
      },
      {
        name: 'kind',
        type: 'choice',
        choices: ['checkout', 'overlay'],
        description: 'checkout, which `carrel up` uses, or overlay (default: the fastest on this machine)',
        value: 'kind',
      },
    ],
    load: () => import('../../operations/pool/warm.operation.js').then(module => module.warmPool),
  },
  {
    name: 'down',
    summary: 'Remove a workspace; refuses if work would be lost',
    group: 'Clean up',
    fields: [
      {
        name: 'workspace',
        position: 0,
        required: true,
        type: 'string',
        description: 'the workspace: its name, its id, or the beginning of its id',
      },
      {
        name: 'discardChanges',
        type: 'boolean',
        description: 'remove it even if it has uncommitted changes',
      },
      {
        name: 'discardCommits',
        type: 'boolean',
        description: 'remove it even if it has commits that exist nowhere else',
      },
      { name: 'stopProcesses', type: 'boolean', description: 'stop the processes that run in it' },
      { name: 'breakLease', type: 'boolean', description: 'remove it even if it is leased' },
    ],
    load: () => import('../../operations/removal/remove.operation.js').then(module => module.removeWorkspace),
  },
  {
    name: 'config show',
    summary: 'Show the effective configuration',
    group: 'Set up',
    fields: [],
    load: () => import('../../operations/setup/show-config.operation.js').then(module => module.showConfig),
  },
  {
    name: 'snapshots',
    summary: 'List snapshots',
    group: 'Keep and land work',
    fields: [
      {
        name: 'workspace',
        position: 0,
        type: 'string',
        description: 'list only the snapshots of the workspace with this name, even if it was removed',
      },
      { name: 'all', type: 'boolean', description: 'list the snapshots of all repositories' },
    ],
    load: () => import('../../operations/snapshot/list.operation.js').then(module => module.listSnapshots),
  },
  {
    name: 'restore',
    summary: 'Restore a snapshot as a workspace and print its path',
    group: 'Keep and land work',
    prints: 'path',
    fields: [
      {
        name: 'snapshot',
        position: 0,
        required: true,
        type: 'string',
        description: 'id of a snapshot, or name of a workspace for its latest snapshot',
      },
      {
        name: 'as',
        type: 'string',
        description: 'name of the restored workspace (default: its old name)',
        value: 'name',
      },
    ],
    load: () =>
      import('../../operations/snapshot/restore.operation.js').then(module => module.restoreSnapshot),
  },
  {
    name: 'snapshot',
    summary: 'Take a snapshot of everything in a workspace',
    group: 'Keep and land work',
    fields: [
      {
        name: 'workspace',
        position: 0,
        required: true,
        type: 'string',
        description: 'the workspace: its name, its id, or the beginning of its id',
      },
      {
        name: 'message',
        type: 'string',
        description: 'a message for the snapshot',
        value: 'text',
        letter: 'm',
      },
    ],
    load: () =>
      import('../../operations/snapshot/take.operation.js').then(module => module.snapshotWorkspace),
  },
  {
    name: 'up',
    summary: 'Make a workspace and print its path',
    group: 'Make and use workspaces',
    fields: [
      {
        name: 'name',
        position: 0,
        type: 'string',
        description: 'the name of the workspace (default: a generated one)',
      },
      {
        name: 'branch',
        type: 'string',
        description:
          'the branch to work on; created if it does not exist (default: the configured prefix and the name)',
        value: 'branch',
      },
      {
        name: 'base',
        type: 'string',
        description: "the branch, tag or commit to start from (default: the repository's HEAD)",
        value: 'ref',
      },
      {
        name: 'isolation',
        type: 'choice',
        choices: ['full', 'worktree', 'shared'],
        description:
          'own worktree and a sandbox (full), own worktree, or the repository itself (shared); default: as configured',
        value: 'mode',
      },
      { name: 'strict', type: 'boolean', description: 'refuse instead of falling back to less isolation' },
      {
        name: 'template',
        type: 'string',
        description: 'a named set of settings: claude, codex, gemini, shell, or one from the configuration',
        value: 'name',
      },
      {
        name: 'setup',
        type: 'boolean',
        description: "false skips the repository's setup commands and the installation of dependencies",
        negated: "skip the repository's setup commands and the installation of dependencies",
      },
      {
        name: 'trust',
        type: 'boolean',
        description: "run the repository's setup commands even if they are not approved",
      },
    ],
    load: () =>
      import('../../operations/workspace/create.operation.js').then(module => module.createWorkspace),
  },
  {
    name: 'diff',
    summary: 'Print the changes in a workspace as a patch for git apply',
    group: 'Keep and land work',
    fields: [
      {
        name: 'workspace',
        position: 0,
        required: true,
        type: 'string',
        description: 'the workspace: its name, its id, or the beginning of its id',
      },
    ],
    load: () => import('../../operations/workspace/diff.operation.js').then(module => module.diffWorkspace),
  },
  {
    name: 'land',
    summary: "Land a workspace's commits on a branch",
    group: 'Keep and land work',
    fields: [
      {
        name: 'workspace',
        position: 0,
        required: true,
        type: 'string',
        description: 'the workspace: its name, its id, or the beginning of its id; or a task',
      },
      {
        name: 'into',
        type: 'string',
        description: 'the branch to land on (default: the branch it started from)',
        value: 'branch',
      },
      {
        name: 'message',
        type: 'string',
        description: 'commit message; uncommitted changes are committed with it first',
        value: 'text',
        letter: 'm',
      },
      { name: 'keep', type: 'boolean', description: 'keep the workspace' },
      {
        name: 'allowAutorunFiles',
        type: 'boolean',
        description: 'land files that run automatically even if `land.autorunFiles` is `refuse`',
      },
    ],
    load: () => import('../../operations/workspace/land.operation.js').then(module => module.landWorkspace),
  },
  {
    name: 'ls',
    aliases: ['ps'],
    summary: 'List the workspaces of this repository, or of all',
    group: 'Make and use workspaces',
    fields: [
      { name: 'all', type: 'boolean', description: 'list the workspaces of all repositories' },
      {
        name: 'fast',
        type: 'boolean',
        description: 'list only what is on record, without reading the files; fields that need them are null',
      },
    ],
    load: () => import('../../operations/workspace/list.operation.js').then(module => module.listWorkspaces),
  },
  {
    name: 'path',
    summary: 'Print the path of a workspace',
    group: 'Make and use workspaces',
    fields: [
      {
        name: 'workspace',
        position: 0,
        required: true,
        type: 'string',
        description: 'the workspace: its name, its id, or the beginning of its id',
      },
    ],
    load: () =>
      import('../../operations/workspace/path.operation.js').then(module => module.findWorkspacePath),
  },
  {
    name: 'rename',
    summary: 'Give a workspace another name',
    group: 'Make and use workspaces',
    prints: 'name',
    fields: [
      {
        name: 'workspace',
        position: 0,
        required: true,
        type: 'string',
        description: 'the workspace: its name, its id, or the beginning of its id',
      },
      {
        name: 'newName',
        position: 1,
        required: true,
        type: 'string',
        description: 'the new name; no other workspace of the repository may have it',
      },
    ],
    load: () =>
      import('../../operations/workspace/rename.operation.js').then(module => module.renameWorkspace),
  },
  {
    name: 'show',
    summary: 'Show the details of a workspace',
    group: 'Make and use workspaces',
    fields: [
      {
        name: 'workspace',
        position: 0,
        required: true,
        type: 'string',
        description: 'the workspace: its name, its id, or the beginning of its id',
      },
    ],
    load: () => import('../../operations/workspace/show.operation.js').then(module => module.showWorkspace),
  },
  {
    name: 'task cancel',
    summary: 'Stop a task and its agents, and keep its work',
    group: 'Run tasks',
    fields: [
      {
        name: 'task',
        position: 0,
        required: true,
        type: 'string',
        description: 'the task: its id, or the beginning of it',
      },
    ],
    load: () => import('../../task/cancel.operation.js').then(module => module.cancelTaskOperation),
  },
  {
    name: 'run',
    summary: 'Run a task with agents in its own workspace and watch it',
    group: 'Run tasks',
    fields: [
      {
        name: 'description',
        position: 0,
        required: true,
        type: 'string',
        description: 'the complete description of the task; the agents get nothing else',
      },
      {
        name: 'workflow',
        type: 'string',
        description: 'the workflow to run (default: tasks.workflow in the configuration)',
        value: 'name',
      },
      {
        name: 'trigger',
        type: 'string',
        description: 'instead of the workflow: run the one whose file lists this trigger',
        value: 'name',
      },
      {
        name: 'agent',
        type: 'string',
        description: 'the agent for all stages: a preset such as codex, or one from the configuration',
        value: 'name',
      },
      {
        name: 'isolation',
        type: 'choice',
        choices: ['full', 'worktree', 'shared'],
        description:
          'own worktree and a sandbox (full), own worktree, or the repository itself (shared); default: as configured',
        value: 'mode',
      },
      {
        name: 'strict',
        type: 'boolean',
        description: 'fail instead of falling back to a weaker isolation mode',
      },
      {
        name: 'base',
        type: 'string',
        description: "the branch, tag or commit to start from (default: the repository's HEAD)",
        value: 'ref',
      },
      {
        name: 'branch',
        type: 'string',
        description:
          'the branch to work on; made if it does not exist (default: the configured prefix and a name)',
        value: 'branch',
      },
      { name: 'keep', type: 'boolean', description: 'keep the workspace when the task succeeds' },
      {
        name: 'priority',
        type: 'integer',
        description: 'tasks with a higher priority start first (default: 0)',
        value: 'number',
      },
      {
        name: 'timeoutSeconds',
        type: 'number',
        isPositive: true,
        description: 'time limit for the whole task, such as 90m',
        flag: 'timeout',
        value: 'duration',
      },
      {
        name: 'costLimitUsd',
        type: 'number',
        isPositive: true,
        description: 'stop when its agents have cost this many US dollars',
        flag: 'cost-limit',
        value: 'usd',
      },
      {
        name: 'tokenLimit',
        type: 'integer',
        isPositive: true,
        description: 'stop when its agents have used this many tokens',
        value: 'number',
      },
      {
        name: 'trust',
        type: 'boolean',
        description: "run the repository's own commands without an approval",
      },
    ],
    load: () => import('../../task/create.operation.js').then(module => module.createTaskOperation),
  },
  {
    name: 'task diff',
    summary: 'Print the changes of a task as a patch for git apply',
    group: 'Run tasks',
    fields: [
      {
        name: 'task',
        position: 0,
        required: true,
        type: 'string',
        description: 'the task: its id, or the beginning of it',
      },
    ],
    load: () => import('../../task/delivery/diff.operation.js').then(module => module.diffTaskOperation),
  },
  {
    name: 'task publish',
    summary: "Push a task's branch; opens a pull request with --pull-request",
    group: 'Run tasks',
    fields: [
      {
        name: 'task',
        position: 0,
        required: true,
        type: 'string',
        description: 'the task: its id, or the beginning of it',
      },
      {
        name: 'remote',
        type: 'string',
        description: 'the remote to push to (default: origin)',
        value: 'name',
      },
      { name: 'pullRequest', type: 'boolean', description: 'also open a pull request with gh' },
      { name: 'draft', type: 'boolean', description: 'open the pull request as a draft' },
    ],
    load: () =>
      import('../../task/delivery/publish.operation.js').then(module => module.publishTaskOperation),
  },
  {
    name: 'task logs',
    summary: 'Print the log of a task and its agents',
    group: 'Run tasks',
    fields: [
      {
        name: 'task',
        position: 0,
        required: true,
        type: 'string',
        description: 'the task: its id, or the beginning of it',
      },
      { name: 'follow', type: 'boolean', description: 'continue until the task stops' },
    ],
    load: () => import('../../task/log/log.operation.js').then(module => module.logTaskOperation),
  },
  {
    name: 'task ls',
    summary: 'List the tasks of this repository, or of all',
    group: 'Run tasks',
    fields: [
      { name: 'all', type: 'boolean', description: 'list the tasks of all repositories' },
      {
        name: 'status',
        type: 'choice',
        choices: ['waiting', 'running', 'validating', 'succeeded', 'failed', 'cancelled', 'interrupted'],
        description: 'list only tasks with this status',
        value: 'status',
      },
      {
        name: 'limit',
        type: 'integer',
        isPositive: true,
        description: 'list only this number of the newest tasks',
        value: 'number',
      },
    ],
    load: () => import('../../task/record/list.operation.js').then(module => module.listTasksOperation),
  },
  {
    name: 'task show',
    summary: 'Show the details of a task',
    group: 'Run tasks',
    fields: [
      {
        name: 'task',
        position: 0,
        required: true,
        type: 'string',
        description: 'the task: its id, or the beginning of it',
      },
    ],
    load: () => import('../../task/record/show.operation.js').then(module => module.showTaskOperation),
  },
  {
    name: 'gc',
    summary: 'Show what is no longer needed, and remove it with --yes',
    group: 'Clean up',
    fields: [
      { name: 'all', type: 'boolean', description: 'include all repositories' },
      {
        name: 'execute',
        type: 'boolean',
        description: 'remove them; without this, only show the plan',
        flag: 'yes',
      },
      {
        name: 'trustClock',
        type: 'boolean',
        description: 'trust the clock even if the newest event is far from the current time',
      },
    ],
    load: () =>
      import('../../task/recovery/collect.operation.js').then(module => module.collectGarbageOperation),
  },
  {
    name: 'task retry',
    summary: 'Resume a task after its last successful stage',
    group: 'Run tasks',
    fields: [
      {
        name: 'task',
        position: 0,
        required: true,
        type: 'string',
        description: 'the task: its id, or the beginning of it',
      },
      {
        name: 'timeoutSeconds',
        type: 'number',
        isPositive: true,
        description: 'time limit for the whole task, such as 90m',
        flag: 'timeout',
        value: 'duration',
      },
      {
        name: 'costLimitUsd',
        type: 'number',
        isPositive: true,
        description: 'stop when its agents have cost this many US dollars',
        flag: 'cost-limit',
        value: 'usd',
      },
      {
        name: 'tokenLimit',
        type: 'integer',
        isPositive: true,
        description: 'stop when its agents have used this many tokens',
        value: 'number',
      },
    ],
    load: () => import('../../task/recovery/retry.operation.js').then(module => module.retryTaskOperation),
  },
];
