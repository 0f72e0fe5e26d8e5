// What `carrel init` writes. A comment of one `#` and one space explains; any other is a setting that takes effect, with
// the right indentation, when its `#` goes. Tests load the text as it is and with every setting switched on.

/** `.carrel/config.yaml` */
export const initialConfig = `# Carrel: how workspaces of this repository are made. Take the # away from a setting to use it.
# Your own defaults for all repositories go to the file that \`carrel config show\` names; they have the same keys.
version: "1.0"

#project:
#  name: my-project
#  language: typescript

# How far tasks are kept apart: full (own worktree, commands in a sandbox), worktree (own worktree) or
# shared (the repository itself).
isolation:
  default: worktree
  # By workflow; stronger than the default.
#  overrides:
#    feature: full
#    bugfix: worktree
#    refactor: worktree
  # When a mode can't be had: degrade takes the next weaker one and warns, fail refuses.
#  onUnavailable: degrade

#workspace:
  # Strategy of a task that names neither strategy nor mode: worktree, container, directory or none.
#  defaultStrategy: none
  # Remove the workspace of a task that succeeded; keep that of one that failed.
#  cleanupOnComplete: true
#  preserveOnFailure: true
  # Days after which gc may take an idle workspace.
#  cleanupDays: 7
  # Goes before a workspace's name in its branch.
#  branchPrefix: carrel/
  # Ignored files to bring along, besides those that .worktreeinclude lists.
#  include:
#    - .env*
  # Commands to run in a new workspace, once they are approved with \`carrel trust\`.
#  setup:
#    - make prepare
#  setupTimeout: 10m
  # Install dependencies by lock file: auto or off.
#  install: auto
#  installTimeout: 10m
  # How the files come to be: auto (the fastest way that leaves an ordinary worktree), checkout, or overlay.
#  files: auto
  # Submodules in a new workspace: init or skip.
#  submodules: init
  # Each workspace has ten ports from this range.
#  ports:
#    from: 20000
#    to: 31999
  # When \`carrel up\` refuses.
#  limits:
#    count: 50
#    bytes: 20g
#    freeDisk: 512m
  # The container of \`full\` isolation.
#  container:
#    image: "node:20-alpine"
#    resourceLimits:
#      cpu: 2
#      memory: "2g"

# Tasks: \`carrel run "add a dark mode"\`.
#tasks:
  # Workflow of \`carrel run\` without --workflow: a file of .carrel/workflows, or feature, bugfix, refactor or quick.
#  workflow: feature
  # What agents run with that name neither preset nor command.
#  agent: claude
  # Time before the second attempt of a stage; twice as long each time after that.
#  retryDelay: 5s
  # What must be true of the working tree after every task. Commands run once they are approved with \`carrel trust\`.
#  validation:
#    - kind: tests
#      run: npm test

# Agents for the stages of workflows, by name; .carrel/agents/NAME.md defines one as well. There are planner, developer,
# reviewer and tester, and claude, codex, gemini, opencode, qwen, aider, copilot and amp.
#agents:
#  developer:
#    preset: codex
#    instructions: Run make check before you say that you are done.
  # Any command will do; it gets its prompt on standard input.
#  linter:
#    command: ./scripts/fix-lint.sh

# Workspaces that are kept warm: for \`carrel up\`, and for batches.
#pool:
#  size: 8
  # For \`carrel up\`: auto (one, where a checkout takes long), off, or how many.
#  spare: auto
  # Ignored directories that outlive a lease; thrown away when a lock file changes.
#  keep:
#    - node_modules
  # Share files where the kernel can: auto or off.
#  overlay: auto

# Bundles for \`carrel up --template NAME\`; claude, codex, gemini and shell ship.
#templates:
#  review:
#    agent: claude
#    isolation: worktree
#    include:
#      - .env*
#    setup:
#      - make prepare
`;
