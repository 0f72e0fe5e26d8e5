// As in init-template.ts: a comment with `#` and one space explains, any other is a setting.

/** The built-in workflows, by name; `carrel init` writes the same texts to `.carrel/workflows/NAME.yaml`. */
export const exampleWorkflows = {
  feature: `name: feature
description: Full feature implementation workflow
trigger:
  - manual

# Overrides the configuration: full, worktree or shared.
isolation: full

stages:
  - name: planning
    agent: planner
    description: Create implementation plan
    outputs:
      - implementation_plan
      - subtasks
  - name: implementation
    agent: developer
    description: Implement the plan, with tests
    dependsOn:
      - planning
    inputs:
      - implementation_plan
      - subtasks
    retries: 1
    timeout: 1h
  - name: review
    agent: reviewer
    description: Review the change and fix what is wrong
    dependsOn:
      - implementation
    inputs:
      - implementation_plan
    outputs:
      - review_notes

# What must be true of the working tree after the last stage: build, tests, command, file-exists, file-contains or
# file-not-contains. Commands of a repository run once they are approved with \`carrel trust\`.
#validation:
#  - kind: tests
#    run: npm test
`,
  bugfix: `name: bugfix
description: Reproduce a bug, fix it and prove the fix
trigger:
  - manual

isolation: worktree

stages:
  - name: reproduction
    agent: tester
    description: Write a test that fails because of the bug
    outputs:
      - failing_test
  - name: fix
    agent: developer
    description: Make the test pass with the smallest change
    dependsOn:
      - reproduction
    inputs:
      - failing_test
    retries: 1
    timeout: 30m

# What must be true of the working tree after the last stage.
#validation:
#  - kind: tests
#    run: npm test
`,
  refactor: `name: refactor
description: Change the structure of code without changing its behavior
trigger:
  - manual

isolation: worktree

stages:
  - name: analysis
    agent: planner
    description: Describe what will change and which tests cover it
    outputs:
      - refactoring_plan
  - name: change
    agent: developer
    description: Make the change in small steps, tests green after each
    dependsOn:
      - analysis
    inputs:
      - refactoring_plan
    retries: 1
    timeout: 1h

# What must be true of the working tree after the last stage.
#validation:
#  - kind: build
#    run: npm run build
#  - kind: tests
#    run: npm test
`,
  quick: `name: quick
description: One agent does everything in one stage
trigger:
  - manual

# The configuration chooses the isolation unless it is set here.
#isolation: worktree

stages:
  - name: change
    agent: developer
    description: Do the task, with tests where they help
    timeout: 1h
    # Commands that must succeed before the stage is done; after a failure the agent gets the output and tries again.
#    checks:
#      - npm test
#    retries: 2

# What must be true of the working tree after the last stage.
#validation:
#  - kind: file-exists
#    path: README.md
#  - kind: file-not-contains
#    path: README.md
#    text: "FIXME"
`,
} as const;
