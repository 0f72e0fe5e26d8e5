import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Task } from '../../../src/domain/task/task.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { BINARY, type Carrel } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// The examples that Carrel's files were designed after, word for word but for the name of the folder.

const CONFIG = `version: "1.0"
project:
  name: my-project
  language: typescript

# Global isolation settings
isolation:
  default: shared  # Default for all workflows
  overrides:
    feature: full      # Features get full container+worktree isolation
    bugfix: worktree   # Bugfixes get worktree-only isolation
    refactor: worktree # Refactors get worktree-only isolation

# Container defaults for 'full' isolation mode
workspace:
  cleanupOnComplete: true
  container:
    image: "node:20-alpine"
    resourceLimits:
      cpu: 2
      memory: "2g"
`;

const WORKFLOW = `name: feature
description: Full feature implementation workflow
trigger:
  - manual
  - apex:feature

# Override isolation at workflow level
isolation: full

stages:
  - name: planning
    agent: planner
    description: Create implementation plan
    outputs:
      - implementation_plan
      - subtasks
  # ... rest of stages ...
`;

const ROLES = ['planner', 'developer', 'reviewer', 'tester'];

/** A repository with the two files, and agents of the user's own, which a shell script plays. */
function makeSite(script: string): { readonly repository: string; readonly carrel: Carrel } {
  const repository = makeRepository({
    'README.md': 'hello\n',
    '.carrel/config.yaml': CONFIG,
    '.carrel/workflows/feature.yaml': WORKFLOW,
  });
  const carrel = createTidyCarrel();
  const agents = Object.fromEntries(ROLES.map(role => [role, { command: script }]));
  // Left to choose, Carrel takes a container where an image is named, which machines without that image can't start.
  const settings = { agents, sandbox: { runtime: 'bubblewrap' } };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(settings) });
  return { repository, carrel };
}

test('the feature workflow runs in full isolation, without the image that only containers need', context => {
  requireBubblewrap(context);
  const { repository, carrel } = makeSite(
    'echo the plan > "$CARREL_OUTPUT_DIR/implementation_plan.md"; echo two > "$CARREL_OUTPUT_DIR/subtasks"; echo planned > PLAN',
  );
  const before = fingerprint(repository);
  expect(carrel.json(repository, 'workflow', 'check')).toMatchObject({ sound: true });
  const task = carrel.json<Task>(repository, 'run', 'Add a dark mode', '--workflow', 'feature', '--strict');
  expect(task).toMatchObject({
    status: 'succeeded',
    isolation: { requested: 'full', effective: 'full' },
    stages: [{ name: 'planning', agent: 'planner', status: 'succeeded' }],
    workspaceKept: false,
  });
  expect(task.stages[0]?.outputs.map(({ name }) => name)).toEqual(['implementation_plan', 'subtasks']);
  expect(git(repository, 'show', `${task.branch}:PLAN`)).toBe('planned');
  expect(fingerprint(repository)).toEqual(before);
});

thoroughTest('bugfix, which the examples give worktrees, runs in one', () => {
  const { repository, carrel } = makeSite(
    'cat > /dev/null; echo "I fixed it."; echo "$CARREL_STAGE" >> fixed.txt',
  );
  const task = carrel.json<Task>(repository, 'run', 'Fix the door', '--workflow', 'bugfix');
  expect(task).toMatchObject({ status: 'succeeded', isolation: { effective: 'worktree' } });
  expect(git(repository, 'show', `${task.branch}:fixed.txt`)).not.toBe('');
});

thoroughTest(
  'the commands that started sandboxes of three modes make workspaces, with their folders and branches',
  () => {
    const [carrel, repository, root] = [createTidyCarrel(), makeRepository(), tempDir()];
    const settings = { workspace: { root, branchPrefix: 'forage-' } };
    writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(settings) });
    const up = (name: string, form: string) =>
      carrel.json<Workspace>(tempDir(), 'up', name, '--template', 'claude', form, repository);
    for (const name of ['mybox', 'second'])
      expect(up(name, '--workspace')).toMatchObject({ path: repository, backend: 'direct' });
    const made = [up('agent-a', '--repo'), up('agent-b', '--repo'), up('agent-c', '--git-worktree')];
    expect(made.map(({ path, branch }) => [path, branch])).toEqual(
      ['a', 'b', 'c'].map(letter => [join(root, 'repo', `agent-${letter}`), `forage-agent-${letter}`]),
    );
    const [a, b] = made.map(({ path }) => path) as [string, string];
    writeFiles(a, { 'new.txt': 'new\n' });
    expect([a, b, repository].map(path => existsSync(join(path, 'new.txt')))).toEqual([true, false, false]);
    git(a, 'add', '--all');
    git(a, 'commit', '--quiet', '-m', 'from a');
    expect(git(b, 'show', 'forage-agent-a:new.txt')).toBe('new');
  },
);

test.each([
  ['XDG_CACHE_HOME', (home: string) => join(home, 'elsewhere'), 'elsewhere/carrel'],
  ['the home directory', () => '', '.cache/carrel'],
])('worktrees are below %s, by project, and slashes of a name are hyphens', (_, caches, folder) => {
  const home = tempDir();
  const { CARREL_CACHE_DIR: _omitted, ...env } = createTidyCarrel().env;
  const repository = makeRepository();
  const { stdout, stderr } = spawnSync(process.execPath, [BINARY, 'up', 'feat/ui'], {
    cwd: repository,
    env: { ...env, HOME: home, XDG_CACHE_HOME: caches(home) },
    encoding: 'utf8',
  });
  expect(stdout.trimEnd(), stderr).toBe(join(home, folder, 'worktrees/repo/feat-ui'));
  expect(git(stdout.trimEnd(), 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('carrel/feat/ui');
});
