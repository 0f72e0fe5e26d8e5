import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadWorkflow } from '../../../src/config/workflows/load-workflow.js';
import { type Carrel, createCarrel } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { readExample } from '../../helpers/readme.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { tempDir } from '../../helpers/temp.js';
import { describeRefusal } from '../../helpers/workspace/refusal.js';

// Configuration through the command line: where values come from, and how mistakes are reported.

interface Scene {
  readonly carrel: Carrel;
  readonly repository: string;
  readonly userFile: string;
  readonly repositoryFile: string;
}

function makeScene(files: { repository?: string; user?: string } = {}): Scene {
  const carrel = createCarrel();
  const repository = makeRepository();
  if (files.repository !== undefined) writeFiles(repository, { '.carrel/config.yaml': files.repository });
  if (files.user !== undefined) writeFiles(carrel.home, { 'config/carrel/config.yaml': files.user });
  const userFile = join(carrel.home, 'config/carrel/config.yaml');
  return { carrel, repository, userFile, repositoryFile: join(repository, '.carrel/config.yaml') };
}

interface Report {
  readonly files: string[];
  readonly values: { readonly key: string; readonly value: unknown; readonly origin: string }[];
}

function show(scene: Scene): (key: string) => unknown {
  const { values } = scene.carrel.json<Report>(scene.repository, 'config', 'show');
  return key => {
    const found = values.find(value => value.key === key);
    return found && [found.value, found.origin];
  };
}

test('the repository’s file wins over the user’s, and that over the defaults, key by key', () => {
  const scene = makeScene({
    user: 'workspace:\n  branchPrefix: mine/\n  limits:\n    count: 9\n  include: [one, two]\n',
    repository: 'workspace:\n  branchPrefix: theirs/\n  include:\n    - three\n',
  });
  const value = show(scene);
  expect(value('workspace.branchPrefix')).toEqual(['theirs/', `${scene.repositoryFile}:2`]);
  expect(value('workspace.limits.count')).toEqual([9, `${scene.userFile}:4`]);
  expect(value('workspace.include')).toEqual([['three'], `${scene.repositoryFile}:3`]);
  expect(value('snapshots.keepDays')).toEqual([30, 'default']);
  expect(scene.carrel.json(scene.repository, 'up', 'a')).toMatchObject({ branch: 'theirs/a' });
});

test('config show --origin prints where each value comes from', () => {
  const scene = makeScene({ repository: 'workspace:\n  cleanupDays: 60\n' });
  const lines = scene.carrel.ok(scene.repository, 'config', 'show', '--origin').split('\n');
  expect(lines.find(line => line.startsWith('workspace.cleanupDays'))).toMatch(
    new RegExp(`^workspace\\.cleanupDays +60 +\\(${scene.repositoryFile}:2\\)$`),
  );
  expect(scene.carrel.ok(scene.repository, 'config', 'show')).not.toContain('(default)');
  expect(scene.carrel.ok(tempDir(), 'config', 'show', '--origin')).toMatch(
    /^snapshots\.keepDays +30 +\(default\)$/m,
  );
});

test('a repository may ask for more isolation than the user’s file, never for less', () => {
  const scene = makeScene({
    user: 'isolation:\n  default: full\n  onUnavailable: fail\ntemplates:\n  claude:\n    isolation: full\n  shell:\n    isolation: worktree\n',
    repository:
      'isolation:\n  default: worktree\n  onUnavailable: degrade\ntemplates:\n  claude:\n    isolation: worktree\n  codex:\n    isolation: worktree\n  shell:\n    isolation: full\n',
  });
  const value = show(scene);
  expect(value('isolation.default')).toEqual(['full', `${scene.userFile}:2`]);
  expect(value('isolation.onUnavailable')).toEqual(['fail', `${scene.userFile}:3`]);
  expect(value('templates.claude.isolation')).toEqual(['full', `${scene.userFile}:6`]);
  expect(value('templates.codex.isolation')).toEqual(['full', 'default']);
  expect(value('templates.shell.isolation')).toEqual(['full', `${scene.repositoryFile}:10`]);
  const without = { PATH: pathWithout('bwrap', 'podman', 'docker') };
  for (const template of [[], ['--template', 'claude'], ['--template', 'codex'], ['--template', 'shell']]) {
    const refused = scene.carrel.runWith(without, scene.repository, 'up', 'a', ...template, '--json');
    expect(describeRefusal(refused, {})).toContain('ISOLATION_UNAVAILABLE, exit status 4');
  }
});

const mistakes = [
  [
    'an unknown key',
    'isolation:\n  defualt: full\n',
    '2:3: unknown key "isolation.defualt"; expected one of default, overrides, onUnavailable',
    'did you mean "default"?',
  ],
  [
    'a wrong value',
    'isolation:\n  default: none\n',
    '2:12: isolation.default is "none"; expected one of full, worktree, shared',
    'see `carrel schema config` for the values of each key',
  ],
  [
    'a wrong type',
    'workspace:\n  limits:\n    count: many\n',
    '3:12: workspace.limits.count is "many"; expected a number',
    'see `carrel schema config` for the values of each key',
  ],
  [
    'a bad size',
    'workspace:\n  limits:\n    freeDisk: 512\n',
    '3:15: workspace.limits.freeDisk is the number 512; expected a size such as 512k, 512m or 2g',
    'see `carrel schema config` for the values of each key',
  ],
  [
    'a bad duration',
    'workspace:\n  setupTimeout: soon\n',
    '2:17: workspace.setupTimeout is "soon"; expected a duration such as 90s, 15m, 12h or 7d',
    'see `carrel schema config` for the values of each key',
  ],
  [
    'a version that is no text',
    'version: 1.0\n',
    '1:10: version is the number 1; expected "1.0"',
    'see `carrel schema config` for the values of each key',
  ],
  [
    'broken YAML',
    'workspace:\n  include: [one\n',
    '3:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
    'fix the YAML in <file> at line 3',
  ],
  [
    'a tab',
    'workspace:\n\tinclude: []\n',
    '2:1: the line starts with a tab; expected spaces',
    'fix the YAML in <file> at line 2',
  ],
  [
    'a key that only the user may set',
    'workspace:\n  root: /tmp/elsewhere\n',
    "2:3: workspace.root can't be set by a repository; expected it in <userFile>",
    'move workspace.root to <userFile>',
  ],
] as const;

test.each(mistakes)('%s is reported with file, line and column', (_, yaml, message, hint) => {
  const { carrel, repository, userFile } = makeScene({ repository: yaml });
  const outcome = carrel.run(repository, 'up', 'a', '--json');
  const refusal = describeRefusal(outcome, { file: join(repository, '.carrel/config.yaml'), userFile });
  expect(refusal).toMatch(/^CONFIG_\w+, exit status 2\n/);
  expect(refusal.replace(/^.*\n/, '')).toBe(`<file>:${message}\nhint: ${hint}`);
});

test('a mistake in the user’s file stops every command that reads it, and none that does not', () => {
  const { carrel, repository, userFile } = makeScene({ user: 'nonsense: 1\n' });
  expect(carrel.error(repository, 'up', 'a')).toMatchObject({ status: 2, code: 'CONFIG_UNKNOWN_KEY' });
  expect(carrel.error(repository, 'config', 'show').message).toContain(
    `${userFile}:1:1: unknown key "nonsense"`,
  );
  expect(carrel.run(repository, 'ls').status).toBe(0);
  const { checks } = JSON.parse(carrel.run(repository, 'doctor', '--json').stdout);
  expect(checks).toContainEqual(expect.objectContaining({ name: 'configuration', status: 'problem' }));
});

test('two files of one meaning, and a link out of the repository, are refused', () => {
  const { carrel, repository } = makeScene({ repository: 'version: "1.0"\n' });
  writeFiles(repository, { '.carrel/config.yml': 'version: "1.0"\n' });
  expect(carrel.error(repository, 'up', 'a')).toMatchObject({ status: 2, code: 'CONFIG_TWICE' });
  const other = makeScene();
  writeFiles(other.repository, { '.carrel/.keep': '' });
  writeFileSync(join(other.carrel.home, 'secret.txt'), 'password: secret\n');
  symlinkSync(join(other.carrel.home, 'secret.txt'), other.repositoryFile);
  const refused = other.carrel.error(other.repository, 'up', 'a');
  expect(refused).toMatchObject({ code: 'CONFIG_UNREADABLE' });
  expect(JSON.stringify(refused)).not.toContain('password');
});

/** The two examples of the document that the configuration comes from, with its folder renamed. */
const SEED_CONFIG = `version: "1.0"
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

const SEED_WORKFLOW = `name: feature
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
`;

thoroughTest('the examples of the isolation modes load as they are', async () => {
  const scene = makeScene({ repository: SEED_CONFIG });
  const value = show(scene);
  const at = (line: number) => `${scene.repositoryFile}:${line}`;
  expect(value('isolation.overrides.feature')).toEqual(['full', at(10)]);
  expect(value('workspace.container.resourceLimits.memory')).toEqual(['2g', at(21)]);
  expect(scene.carrel.json(scene.repository, 'up', 'a')).toMatchObject({
    isolation: { effective: 'worktree' },
  });
  writeFiles(scene.repository, { '.carrel/workflows/feature.yaml': SEED_WORKFLOW });
  const workflow = await loadWorkflow(join(scene.repository, '.carrel/workflows/feature.yaml'));
  expect(workflow).toMatchObject({ name: 'feature', isolation: 'full', stages: [{ agent: 'planner' }] });
  expect(scene.carrel.json(scene.repository, 'workflow', 'check')).toMatchObject({ sound: true });
});

test('the configuration in the README loads as it is', () => {
  const value = show(makeScene({ repository: readExample('yaml') }));
  expect(value('isolation.default')).toEqual(['worktree', expect.stringContaining('config.yaml:2')]);
  expect(value('isolation.overrides.feature')).toEqual(['full', expect.stringContaining('config.yaml:4')]);
});

test('init writes a valid configuration, and no existing file', async () => {
  const { carrel, repository, repositoryFile } = makeScene();
  const before = { ...fingerprint(repository), files: '', status: '' };
  const { written } = carrel.json<{ written: string[] }>(repository, 'init');
  expect({ ...fingerprint(repository), files: '', status: '' }).toEqual(before);
  expect(written).toContain(repositoryFile);
  expect(show({ carrel, repository, repositoryFile, userFile: '' })('isolation.default')).toEqual([
    'worktree',
    expect.stringContaining(repositoryFile),
  ]);
  const workflows = readdirSync(join(repository, '.carrel/workflows'));
  expect(workflows.length).toBeGreaterThan(0);
  for (const file of workflows) await loadWorkflow(join(repository, '.carrel/workflows', file));
  expect(carrel.run(repository, 'up', 'a').status).toBe(0);
});

test('init keeps every existing file, byte for byte, and writes the others', () => {
  const { carrel, repository, repositoryFile } = makeScene({ repository: '# mine\n' });
  git(repository, 'checkout', '--quiet', '-b', 'elsewhere');
  writeFiles(repository, { '.carrel/workflows/feature.yaml': 'mine: too\n' });
  const { kept, written } = carrel.json<{ kept: string[]; written: string[] }>(repository, 'init');
  expect(kept).toEqual([repositoryFile, join(repository, '.carrel/workflows/feature.yaml')]);
  expect(written).toHaveLength(3);
  expect(readFileSync(repositoryFile, 'utf8')).toBe('# mine\n');
  expect(carrel.run(repository, 'init')).toMatchObject({ status: 0, stdout: '' });
});
