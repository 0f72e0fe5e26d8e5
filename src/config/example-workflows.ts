/** `.carrel/workflows/NAME.yaml` by name, as `carrel init` writes them. */
export const exampleWorkflows = {
  feature: `name: feature
description: Full feature implementation workflow
trigger:
  - manual

# Stronger than the configuration: full, worktree or shared.
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
    description: Review the change and mend what is wrong
    dependsOn:
      - implementation
    outputs:
      - review_notes
`,
  bugfix: `name: bugfix
description: Reproduce a bug, fix it and prove it
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
    timeout: 30m
`,
  refactor: `name: refactor
description: Change the structure of code and keep what it does
trigger:
  - manual

isolation: worktree

stages:
  - name: analysis
    agent: planner
    description: Say what is to change and which tests guard it
    outputs:
      - refactoring_plan
  - name: change
    agent: developer
    description: Make the change in small steps, tests green after each
    dependsOn:
      - analysis
    inputs:
      - refactoring_plan
    timeout: 1h
`,
} as const;
