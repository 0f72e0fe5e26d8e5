// What `carrel init` writes. A comment with `#` and one space explains; any other is a setting that takes effect, with
// the right indentation, when its `#` is removed. Tests load the text unchanged and with every setting switched on.

/** `.carrel/config.yaml` */
export const initialConfig = `# Carrel configuration of this repository. Remove the # before a setting to use it.
# Your own defaults for all repositories go in the file that \`carrel config show\` names, with the same keys.
version: "1.0"

#project:
#  name: my-project
#  language: typescript

# Isolation mode of new workspaces and tasks: full (own worktree, commands in a sandbox), worktree (own worktree) or
# shared (the repository itself).
isolation:
  default: worktree
  # By workflow; overrides the default.
#  overrides:
#    feature: full
#    bugfix: worktree
#    refactor: worktree
  # When a mode is not available: degrade uses the next weaker one and warns, fail refuses.
#  onUnavailable: degrade

#workspace:
  # The same as a strategy, where isolation.default is not set: container (full), worktree, directory (a plain copy)
  # or none (shared).
#  defaultStrategy: worktree
  # Remove the workspace of a task that succeeded; keep the workspace of a task that failed.
#  cleanupOnComplete: true
#  preserveOnFailure: true
  # Days after which gc may remove an idle workspace.
#  cleanupDays: 7
  # Prefix of the branch of a workspace, before its name.
#  branchPrefix: carrel/
  # Ignored files to copy, in addition to .worktreeinclude.
#  include:
#    - .env*
  # Commands to run in a new workspace, once they are approved with \`carrel trust\`.
#  setup:
#    - make prepare
#  setupTimeout: 10m
  # Install dependencies by lock file: auto or off.
#  install: auto
#  installTimeout: 10m
  # How the files are created: auto (the fastest way that results in an ordinary worktree), checkout, or overlay.
#  files: auto
  # Submodules in a new workspace: init or skip.
#  submodules: init
  # Each workspace has ten ports from this range.
#  ports:
#    from: 20000
#    to: 31999
  # Limits beyond which \`carrel up\` refuses.
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
  # Agent for roles without a preset or command.
#  agent: claude
  # Delay before the second attempt of a stage; doubles with each further attempt.
#  retryDelay: 5s
  # What must be true of the working tree after every task. Commands run once they are approved with \`carrel trust\`.
#  validation:
#    - kind: tests
#      run: npm test

# Agents for the stages of workflows, by name; they can also be defined in .carrel/agents/NAME.md. Built in are planner,
# developer, reviewer and tester, and claude, codex, gemini, opencode, qwen, aider, copilot and amp.
#agents:
#  developer:
#    preset: codex
#    instructions: Run make check before you finish.
  # An agent can be any command; it gets its prompt on standard input.
#  linter:
#    command: ./scripts/fix-lint.sh

# Warm workspaces, for \`carrel up\` and for batches.
#pool:
#  size: 8
  # For \`carrel up\`: auto (one, if a checkout is slow), off, or a number.
#  spare: auto
  # Ignored directories that are kept between leases; deleted when a lock file changes.
#  keep:
#    - node_modules
  # Share files if the kernel supports it: auto or off.
#  overlay: auto

# Settings for \`carrel up --template NAME\`; claude, codex, gemini and shell are built in.
#templates:
#  review:
#    agent: claude
#    isolation: worktree
#    include:
#      - .env*
#    setup:
#      - make prepare
`;
