import { expect, test } from 'vitest';
import { type ConfigTexts, writeConfigFiles } from '../../test/helpers/task/config-files.js';
import { CarrelError } from '../domain/error/error.js';
import { loadConfig } from './load-config.js';

/** Code, message and hint of the failure, with the temporary directory taken out. */
async function failure(texts: ConfigTexts): Promise<string> {
  const files = writeConfigFiles(texts);
  const error = await loadConfig(files).then(
    () => 'it loaded',
    reason => reason,
  );
  if (!(error instanceof CarrelError)) throw error;
  return `${error.code}\n${error.message}\n${error.hint}`.replaceAll(files.root, '');
}

test('an unknown key is reported with its position and the nearest known one', async () => {
  expect(
    await failure({ repository: 'version: "1.0"\nisolatoin:\n  default: full\n' }),
  ).toMatchInlineSnapshot(`
    "CONFIG_UNKNOWN_KEY
    /repository/.carrel/config.yaml:2:1: unknown key "isolatoin"; expected one of version, project, isolation, workspace, sandbox, tasks, agents, pool, land, snapshots, server, webhooks, templates
    did you mean "isolation"?"
  `);
  expect(await failure({ repository: 'workspace:\n  ports:\n    form: 1\n' })).toMatchInlineSnapshot(`
    "CONFIG_UNKNOWN_KEY
    /repository/.carrel/config.yaml:3:5: unknown key "workspace.ports.form"; expected one of from, to
    did you mean "from"?"
  `);
  expect(await failure({ user: 'templates:\n  mine:\n    colour: red\n' })).toMatchInlineSnapshot(`
    "CONFIG_UNKNOWN_KEY
    /home/config.yaml:3:5: unknown key "templates.mine.colour"; expected one of agent, isolation, runtime, image, network, limits, environment, include, setup, install, branchPrefix, repositories
    see \`carrel schema config\` for all keys"
  `);
});

test('an unknown key without a value is still unknown', async () => {
  expect(await failure({ repository: 'isolatoin:\n' })).toMatch(/^CONFIG_UNKNOWN_KEY/);
});

test('an unknown value is reported with the nearest known one', async () => {
  expect(await failure({ repository: 'isolation:\n  default: worktre\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:12: isolation.default is "worktre"; expected one of full, worktree, shared
    did you mean "worktree"?"
  `);
  expect(
    await failure({ repository: 'isolation:\n  overrides:\n    feature: strong\n' }),
  ).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:3:14: isolation.overrides.feature is "strong"; expected one of full, worktree, shared
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'version: 1.0\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:1:10: version is the number 1; expected "1.0"
    see \`carrel schema config\` for the values of each key"
  `);
});

test('a value of the wrong type is reported with what was expected', async () => {
  expect(await failure({ repository: '- a\n- b\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:1:1: the file is a list; expected a mapping
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'project:\n  name: 5\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:9: project.name is the number 5; expected text
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'workspace: yes\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:1:12: workspace is "yes"; expected a mapping
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'workspace:\n  setup: make\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:10: workspace.setup is "make"; expected a list
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'workspace:\n  setup:\n    - make\n    - 7\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:4:7: workspace.setup[1] is the number 7; expected text
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'workspace:\n  cleanupOnComplete: "true"\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:22: workspace.cleanupOnComplete is "true"; expected true or false
    see \`carrel schema config\` for the values of each key"
  `);
});

test('a number, duration, size, pattern or name out of bounds is reported with what was expected', async () => {
  expect(await failure({ repository: 'workspace:\n  setupTimeout: 10\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:17: workspace.setupTimeout is the number 10; expected a duration such as 90s, 15m, 12h or 7d
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'workspace:\n  setupTimeout: 10 minutes\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:17: workspace.setupTimeout is "10 minutes"; expected a duration such as 90s, 15m, 12h or 7d
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'workspace:\n  limits:\n    freeDisk: 512\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:3:15: workspace.limits.freeDisk is the number 512; expected a size such as 512k, 512m or 2g
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'workspace:\n  limits: {count: 0}\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:19: workspace.limits.count is the number 0; expected a number of at least 1
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'workspace:\n  limits: {count: 1.5}\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:19: workspace.limits.count is the number 1.5; expected a whole number
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'workspace:\n  ports: {from: 31995}\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:10: workspace.ports is 31995 to 31999; expected room for 10 ports
    see \`carrel schema config\` for the values of each key"
  `);
  expect(
    await failure({ repository: 'workspace:\n  include: [../../.ssh/id_rsa]\n' }),
  ).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:13: workspace.include[0] is "../../.ssh/id_rsa"; expected a pattern of files inside the repository, such as ".env*"
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'workspace:\n  branchPrefix: ../\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:17: workspace.branchPrefix is "../"; expected the start of a branch name, such as "carrel/"
    see \`carrel schema config\` for the values of each key"
  `);
  expect(await failure({ repository: 'templates:\n  "a.b": {}\n' })).toMatchInlineSnapshot(`
    "CONFIG_INVALID
    /repository/.carrel/config.yaml:2:3: templates.a.b is not an accepted name; expected the name of a template: letters, digits, "_" and "-"
    see \`carrel schema config\` for the values of each key"
  `);
});

test('only the first mistake in the file is reported', async () => {
  const text = 'isolation:\n  default: 5\nworkspacee: {}\n';
  expect(await failure({ repository: text })).toContain(':2:12: isolation.default');
});

test('a mistake in the user file is found there, with and without a repository', async () => {
  const user = 'isolation:\n  default: sharde\n';
  expect(await failure({ user })).toContain('/home/config.yaml:2:12: ');
  expect(await failure({ user, repository: 'version: "1.0"\n' })).toContain('/home/config.yaml:2:12: ');
});

test('broken YAML is reported in plain words', async () => {
  expect(await failure({ repository: 'isolation:\n\tdefault: full\n' })).toMatchInlineSnapshot(`
    "CONFIG_SYNTAX
    /repository/.carrel/config.yaml:2:1: the line starts with a tab; expected spaces
    fix the YAML in /repository/.carrel/config.yaml at line 2"
  `);
  expect(await failure({ repository: 'version: "1.0"\nversion: "1.0"\n' })).toMatchInlineSnapshot(`
    "CONFIG_SYNTAX
    /repository/.carrel/config.yaml:2:1: the key "version" appears twice; expected it once
    fix the YAML in /repository/.carrel/config.yaml at line 2"
  `);
  expect(await failure({ repository: 'version: "1.0"\n---\nversion: "1.0"\n' })).toMatchInlineSnapshot(`
    "CONFIG_SYNTAX
    /repository/.carrel/config.yaml:2:1: a second document starts here; expected one document
    fix the YAML in /repository/.carrel/config.yaml at line 2"
  `);
  expect(await failure({ repository: 'isolation: *nothing\n' })).toMatchInlineSnapshot(`
    "CONFIG_SYNTAX
    /repository/.carrel/config.yaml:1:12: *nothing has no anchor above it
    fix the YAML in /repository/.carrel/config.yaml at line 1"
  `);
  expect(await failure({ repository: 'isolation: &own {overrides: *own}\n' })).toMatchInlineSnapshot(`
    "CONFIG_SYNTAX
    /repository/.carrel/config.yaml:1:29: *own has no anchor above it
    fix the YAML in /repository/.carrel/config.yaml at line 1"
  `);
  expect(await failure({ repository: 'isolation: !mode full\n' })).toMatchInlineSnapshot(`
    "CONFIG_SYNTAX
    /repository/.carrel/config.yaml:1:12: the tag !mode is not supported here; expected plain data
    fix the YAML in /repository/.carrel/config.yaml at line 1"
  `);
  expect(await failure({ repository: '? [a]\n: b\n' })).toMatchInlineSnapshot(`
    "CONFIG_SYNTAX
    /repository/.carrel/config.yaml:1:3: a key is not text; expected a word
    fix the YAML in /repository/.carrel/config.yaml at line 1"
  `);
  expect(await failure({ repository: 'project: {name: "x\n' })).toMatchInlineSnapshot(`
    "CONFIG_SYNTAX
    /repository/.carrel/config.yaml:2:1: Missing closing "quote
    fix the YAML in /repository/.carrel/config.yaml at line 2"
  `);
  expect(await failure({ repository: 'project: name: x\n' })).toMatchInlineSnapshot(`
    "CONFIG_SYNTAX
    /repository/.carrel/config.yaml:1:10: Nested mappings are not allowed in compact mappings
    fix the YAML in /repository/.carrel/config.yaml at line 1"
  `);
});

test('aliases that expand without limit are refused', async () => {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const reference = level === 0 ? 'x' : `*l${level - 1}`;
    return `l${level}: &l${level} [${Array.from({ length: 9 }, () => reference).join(', ')}]`;
  });
  expect(await failure({ repository: levels.join('\n') })).toMatchInlineSnapshot(`
    "CONFIG_SYNTAX
    /repository/.carrel/config.yaml:1:1: its aliases expand to too much data
    fix the YAML in /repository/.carrel/config.yaml at line 1"
  `);
});

test.each(['[', '- ', '{a: ', '? '])(
  'twenty thousand times %j is too deep, and nothing worse',
  async opening => {
    expect(await failure({ repository: opening.repeat(20_000) })).toMatch(
      /^CONFIG_SYNTAX\n.*: the nesting is too deep/,
    );
  },
);

test('settings with effects outside the workspace are for the user only', async () => {
  const editor = 'workspace:\n  editor: evil\n';
  expect(
    await failure({ repository: 'workspace:\n  cleanupDays: 3\n  root: /etc\n' }),
  ).toMatchInlineSnapshot(`
    "CONFIG_USER_ONLY
    /repository/.carrel/config.yaml:3:3: workspace.root can't be set by a repository; expected it in /home/config.yaml
    move workspace.root to /home/config.yaml"
  `);
  expect(await failure({ repository: editor })).toMatch(/^CONFIG_USER_ONLY\n.*:2:3: workspace\.editor/);
  expect(await failure({ repository: 'workspace: {container: {volumes: {/: /host}}}\n' })).toMatch(
    /^CONFIG_USER_ONLY/,
  );
  expect(await failure({ repository: 'workspace: {container: {user: "0:0"}}\n' })).toContain(
    "workspace.container.user can't be set by a repository",
  );
  expect(await failure({ repository: 'templates: {claude: {environment: {PATH: .}}}\n' })).toContain(
    'templates.claude.environment',
  );
  expect((await loadConfig(writeConfigFiles({ user: editor }))).config.workspace.editor).toBe('evil');
});
