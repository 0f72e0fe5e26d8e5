import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WorkflowCheckReport } from '../../../src/domain/workflow/workflow-report.js';
import { createCarrel } from '../../helpers/carrel.js';
import { makeRepository, writeFiles } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { tempDir } from '../../helpers/temp.js';

// Definitions through the command line: which workflows there are, what a task of one would do, and what is wrong.

function makeScene(files: Record<string, string>) {
  const repository = makeRepository();
  writeFiles(join(repository, '.carrel'), files);
  return { carrel: createCarrel(), repository };
}

const CONFIG = `agents:
  developer: {command: ./agent.sh}
  planner: {command: ./agent.sh}
`;

const SHIP = `name: ship
description: Plan, then build and test at once
isolation: worktree
timeout: 2h
stages:
  - {name: plan, agent: planner, outputs: [plan]}
  - {name: build, agent: developer, dependsOn: [plan], inputs: [plan], checks: [npm test], retries: 2}
  - {name: test, agent: developer, dependsOn: [plan], timeout: 30m}
validation:
  - {kind: file-contains, path: a.txt, text: hello}
`;

test('workflow ls and show print what a task would do', () => {
  const { carrel, repository } = makeScene({ 'config.yaml': CONFIG, 'workflows/ship.yaml': SHIP });
  expect(carrel.ok(repository, 'workflow', 'ls')).toMatchInlineSnapshot(`
    "NAME      STAGES  ISOLATION  FROM        DESCRIPTION
    bugfix    2       worktree   built-in    Reproduce a bug, fix it and prove the fix
    feature   3       full       built-in    Full feature implementation workflow
    quick     1       worktree   built-in    One agent does everything in one stage
    refactor  2       worktree   built-in    Change the structure of code without changing its behavior
    ship      3       worktree   repository  Plan, then build and test at once"
  `);
  const page = carrel.ok(repository, 'workflow', 'show', 'ship');
  expect(page.replaceAll(repository, 'REPOSITORY')).toMatchInlineSnapshot(`
    "name         ship
    description  Plan, then build and test at once
    from         REPOSITORY/.carrel/workflows/ship.yaml
    isolation    worktree
    at most      2h

    STAGE  AGENT      RUNS        AFTER  READS  MAKES  TIMEOUT  RETRIES
    plan   planner    ./agent.sh  -      -      plan   -        0
    build  developer  ./agent.sh  plan   plan   -      -        2
    test   developer  ./agent.sh  plan   -      -      30m      0

    Checks:
      build: npm test

    Validation:
      file-contains: a.txt: "hello""
  `);
  expect(carrel.json<unknown[]>(tempDir(), 'workflow', 'ls')).toHaveLength(4);
  expect(carrel.error(repository, 'workflow', 'show', 'shipp')).toMatchObject({
    status: 2,
    code: 'UNKNOWN_WORKFLOW',
    hint: 'did you mean ship?',
  });
});

test('workflow check lists every problem of all, and stops at the first of one file', () => {
  const broken = SHIP.replace('agent: planner', 'agent: planer').replace('inputs: [plan]', 'inputs: [x]');
  const { carrel, repository } = makeScene({
    'config.yaml': CONFIG,
    'workflows/ship.yaml': broken,
    'workflows/other.yaml': 'name: other\n',
    'agents/tester.md': '---\npreste: claude\n---\n',
  });
  const { status, stdout } = carrel.run(repository, 'workflow', 'check', '--json');
  const { sound, checked } = JSON.parse(stdout) as WorkflowCheckReport;
  expect([status, sound]).toEqual([2, false]);
  const problems = checked.flatMap(({ kind, name, problems }) =>
    problems.map(({ code }) => `${kind} ${name}: ${code}`),
  );
  expect(problems).toEqual([
    // The agent's file stands in the way of the workflow that Carrel brings, too.
    'workflow bugfix: CONFIG_UNKNOWN_KEY',
    'workflow other: CONFIG_INVALID',
    'workflow ship: UNKNOWN_AGENT',
    'workflow ship: MISSING_INPUT',
    'agent tester: CONFIG_UNKNOWN_KEY',
  ]);
  const one = carrel.run(repository, 'workflow', 'check', '.carrel/workflows/ship.yaml');
  expect([one.status, one.stdout]).toEqual([2, '']);
  expect(one.stderr).toContain('did you mean planner?');
  writeFiles(join(repository, '.carrel'), { 'workflows/ship.yaml': SHIP });
  expect(carrel.ok(join(repository, '.carrel/workflows'), 'workflow', 'check', 'ship.yaml')).toBe(
    'workflow ship: ok',
  );
});

test('trust shows and approves what tasks would run', () => {
  const { carrel, repository } = makeScene({ 'config.yaml': CONFIG, 'workflows/ship.yaml': SHIP });
  const shown = carrel.ok(repository, 'trust', '--list');
  expect(shown.replaceAll(repository, 'REPOSITORY')).toMatchInlineSnapshot(`
    "REPOSITORY wants to run:
      agents.planner.command: ./agent.sh
      agents.developer.command: ./agent.sh
      workflow ship, check of build: npm test
    these commands are not approved"
  `);
  expect(carrel.json(repository, 'trust', '--yes')).toMatchObject({ trusted: true });
});

test('workflow check and show warn where no sandbox works, and say what happens to tasks', () => {
  const full = 'name: full\ndescription: d\nisolation: full\nstages:\n  - {name: work, agent: developer}\n';
  const repository = makeRepository();
  writeFiles(join(repository, '.carrel'), { 'config.yaml': CONFIG, 'workflows/full.yaml': full });
  const home = tempDir();
  const carrel = createCarrel(home, { PATH: pathWithout('bwrap', 'podman', 'docker') });
  const shown = carrel.json<{ warnings: string[] }>(repository, 'workflow', 'show', 'full');
  expect(shown.warnings.join()).toMatch(/isolation full is not available: .*; its tasks run in a worktree/);
  const { checked } = carrel.json<WorkflowCheckReport>(repository, 'workflow', 'check');
  const warned = checked.filter(({ warnings }) => warnings.some(text => text.includes('its tasks run in')));
  expect(warned.map(({ name }) => name)).toEqual(['feature', 'full']);
  writeFiles(home, { 'config/carrel/config.yaml': 'isolation:\n  default: full\n' });
  const refused = carrel.json<{ warnings: string[] }>(repository, 'workflow', 'show', 'full');
  expect(refused.warnings.join()).toContain('; its tasks are refused');
});
