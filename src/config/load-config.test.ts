import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type ConfigTexts, writeConfigFiles, writeFile } from '../../test/helpers/task/config-files.js';
import { defaultConfig } from './defaults/defaults.js';
import { loadConfig } from './load-config.js';

const load = (texts: ConfigTexts) => loadConfig(writeConfigFiles(texts));

const SEED_EXAMPLE = `version: "1.0"
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

test('the example of the isolation mode document loads unchanged', async () => {
  const { config } = await load({ repository: SEED_EXAMPLE });
  expect(config.project).toEqual({ name: 'my-project', language: 'typescript' });
  expect(config.isolation).toEqual({
    default: 'shared',
    overrides: { feature: 'full', bugfix: 'worktree', refactor: 'worktree' },
    onUnavailable: 'degrade',
  });
  expect(config.workspace.container).toEqual({
    image: 'node:20-alpine',
    resourceLimits: { cpu: 2, memory: '2g' },
  });
});

test('without files the defaults apply', async () => {
  const loaded = await load({});
  expect(loaded.config).toEqual(defaultConfig);
  expect(loaded.files).toEqual([]);
  expect(loaded.origins['workspace.branchPrefix']).toMatchObject({ file: 'default' });
  expect(loaded.fromRepository('workspace')).toBe(false);
});

test('a task runs the workflow feature unless another one is configured', async () => {
  expect((await load({})).config.tasks.workflow).toBe('feature');
  expect((await load({ repository: 'tasks:\n  workflow: quick\n' })).config.tasks.workflow).toBe('quick');
});

test('outside a repository and without a user file there is nothing to read', async () => {
  const { config } = await loadConfig({ repositoryRoot: null, userFile: null });
  expect(config).toEqual(defaultConfig);
});

test.each(['', '# only a comment\n', '---\n', '\ufeff'])(
  'the empty file %j is an empty configuration',
  async text => {
    const loaded = await load({ repository: text });
    expect(loaded.config).toEqual(defaultConfig);
    expect(loaded.files).toHaveLength(1);
  },
);

test('a key without a value is ignored', async () => {
  const { config } = await load({
    user: 'isolation:\n  default: full\n',
    repository: 'isolation:\n  default:\nworkspace:\n',
  });
  expect(config.isolation.default).toBe('full');
  expect(config.workspace).toEqual(defaultConfig.workspace);
});

test('the repository overrides the user and the user overrides the defaults, key by key, and lists are replaced', async () => {
  const { config } = await load({
    user: 'isolation:\n  default: full\n  overrides: {a: shared, b: shared}\nworkspace:\n  include: [.env, .secrets]\n  editor: vim\n',
    repository: 'isolation:\n  overrides: {b: worktree}\nworkspace:\n  include: [.env.local]\n',
  });
  expect(config.isolation).toEqual({
    default: 'full',
    overrides: { a: 'shared', b: 'worktree' },
    onUnavailable: 'degrade',
  });
  expect(config.workspace.include).toEqual(['.env.local']);
  expect(config.workspace.editor).toBe('vim');
  expect(config.workspace.setupTimeout).toBe('10m');
});

test('a built-in template can be changed key by key, and new ones can be added', async () => {
  const { config } = await load({
    repository: 'templates:\n  claude:\n    isolation: full\n  mine:\n    agent: aider\n',
  });
  expect(config.templates.claude).toEqual({ ...defaultConfig.templates.claude, isolation: 'full' });
  expect(Object.keys(config.templates)).toEqual(['claude', 'codex', 'gemini', 'shell', 'mine']);
});

test('every value has an origin with file and line', async () => {
  const files = writeConfigFiles({
    user: 'workspace:\n  branchPrefix: me/\n  setup:\n    - make\n',
    repository: 'isolation:\n  default: worktree\nworkspace:\n  setup:\n    - make all\n',
  });
  const { origins, fromRepository, files: read } = await loadConfig(files);
  expect(read).toEqual([files.userFile, files.repositoryFile]);
  expect(origins['isolation.default']).toEqual({
    file: files.repositoryFile,
    line: 2,
    path: ['isolation', 'default'],
  });
  expect(origins['workspace.branchPrefix']).toMatchObject({ file: files.userFile, line: 2 });
  expect(origins['workspace.setup']).toMatchObject({ file: files.repositoryFile, line: 4 });
  expect(origins['workspace.ports.from']).toMatchObject({ file: 'default' });
  expect(fromRepository('workspace.setup')).toBe(true);
  expect(fromRepository('workspace')).toBe(true);
  expect(fromRepository('workspace.branchPrefix')).toBe(false);
  expect(fromRepository('workspace.set')).toBe(false);
});

test('a range from two files is checked as a whole', async () => {
  const { config } = await load({
    user: 'workspace: {ports: {from: 10000}}\n',
    repository: 'workspace: {ports: {to: 15000}}\n',
  });
  expect(config.workspace.ports).toEqual({ from: 10_000, to: 15_000 });
});

test('config.yml is read when there is no config.yaml, and having both is an error', async () => {
  const files = writeConfigFiles({});
  writeFile(join(files.repositoryRoot, '.carrel', 'config.yml'), 'isolation: {default: full}\n');
  expect((await loadConfig(files)).config.isolation.default).toBe('full');
  writeFile(files.repositoryFile, '');
  await expect(loadConfig(files)).rejects.toMatchObject({ code: 'CONFIG_TWICE' });
});

test('a configuration that is a link outside the repository is refused', async () => {
  const files = writeConfigFiles({ user: 'isolation: {default: full}\n' });
  mkdirSync(dirname(files.repositoryFile));
  symlinkSync(files.userFile, files.repositoryFile);
  await expect(loadConfig(files)).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' });
});

test('a configuration directory that is a link outside the repository is refused', async () => {
  const files = writeConfigFiles({ user: 'isolation: {default: full}\n' });
  symlinkSync(dirname(files.userFile), join(files.repositoryRoot, '.carrel'));
  await expect(loadConfig(files)).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' });
});

test('a link within the repository is followed', async () => {
  const files = writeConfigFiles({});
  writeFile(join(files.repositoryRoot, 'shared.yaml'), 'isolation: {default: full}\n');
  mkdirSync(dirname(files.repositoryFile));
  symlinkSync('../shared.yaml', files.repositoryFile);
  expect((await loadConfig(files)).config.isolation.default).toBe('full');
});

test('a file named .carrel is ignored', async () => {
  const files = writeConfigFiles({});
  writeFile(join(files.repositoryRoot, '.carrel'), 'something else');
  expect((await loadConfig(files)).config).toEqual(defaultConfig);
});

test('a name with a dot keeps its value and origin', async () => {
  const { config, origins } = await load({ repository: 'isolation: {overrides: {a.b: full}}\n' });
  expect(config.isolation.overrides['a.b']).toBe('full');
  expect(origins['isolation.overrides.a.b']).toMatchObject({ path: ['isolation', 'overrides', 'a.b'] });
});
