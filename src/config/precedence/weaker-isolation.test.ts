import { expect, test } from 'vitest';
import { type ConfigTexts, writeConfigFiles } from '../../../test/helpers/task/config-files.js';
import { loadConfig } from '../load-config.js';

/** The effective value of each key, and its origin. */
async function load(texts: ConfigTexts): Promise<(key: string) => unknown> {
  const files = writeConfigFiles(texts);
  const { config, origins } = await loadConfig(files);
  const owners = new Map([
    [files.userFile, 'user'],
    [files.repositoryFile, 'repository'],
  ]);
  return key => {
    const origin = origins[key];
    const value = origin?.path.reduce<unknown>(
      (part, step) => (part as Record<string, unknown>)[step],
      config,
    );
    return origin && [value, owners.get(origin.file) ?? origin.file];
  };
}

const STRONG = `isolation: {default: full, onUnavailable: fail, overrides: {feature: full}}
templates: {claude: {isolation: full}}
`;
const WEAK = `isolation: {default: worktree, onUnavailable: degrade, overrides: {feature: shared}}
templates: {claude: {isolation: worktree}}
`;
const KEYS = [
  'isolation.default',
  'isolation.onUnavailable',
  'isolation.overrides.feature',
  'templates.claude.isolation',
] as const;

test('a repository does not weaken the isolation that the user chose', async () => {
  const value = await load({ user: STRONG, repository: WEAK });
  expect(KEYS.map(value)).toEqual([
    ['full', 'user'],
    ['fail', 'user'],
    ['full', 'user'],
    ['full', 'user'],
  ]);
});

test('a repository may strengthen the isolation that the user chose', async () => {
  const value = await load({ user: WEAK, repository: STRONG });
  expect(KEYS.map(value)).toEqual([
    ['full', 'repository'],
    ['fail', 'repository'],
    ['full', 'repository'],
    ['full', 'repository'],
  ]);
});

test('without a choice by the user the repository chooses', async () => {
  for (const user of [undefined, 'isolation:\n  default:\n  onUnavailable:\ntemplates:\n'] as const) {
    const value = await load({ ...(user === undefined ? {} : { user }), repository: WEAK });
    expect(KEYS.map(value)).toEqual([
      ['worktree', 'repository'],
      ['degrade', 'repository'],
      ['shared', 'repository'],
      ['worktree', 'repository'],
    ]);
  }
});

test('the user’s default applies to a workflow or template that only the repository sets', async () => {
  const user = 'isolation: {default: full}\n';
  const value = await load({ user, repository: WEAK });
  expect(KEYS.map(value)).toEqual([
    ['full', 'user'],
    ['degrade', 'repository'],
    undefined,
    ['full', 'default'],
  ]);
  expect(value('templates.claude.agent')).toEqual(['claude', 'default']);
});

test('the user’s override for a workflow or template wins over the user’s default', async () => {
  const user = `isolation: {default: full, overrides: {feature: shared}}
templates: {claude: {isolation: worktree}}
`;
  const value = await load({ user, repository: WEAK });
  expect(value('isolation.overrides.feature')).toEqual(['shared', 'repository']);
  expect(value('templates.claude.isolation')).toEqual(['worktree', 'repository']);
});

test('a template of the repository stays, without its isolation', async () => {
  const repository =
    'templates: {theirs: {isolation: worktree, branchPrefix: x/}, bare: {isolation: shared}}\n';
  const value = await load({ user: 'isolation: {default: full}\n', repository });
  expect(value('templates.theirs.branchPrefix')).toEqual(['x/', 'repository']);
  expect(value('templates.theirs.isolation')).toBeUndefined();
  expect(value('templates.bare')).toEqual([{}, 'repository']);
});

test('a name with a special meaning in JavaScript is a name like any other', async () => {
  const user = 'isolation: {default: full}\n';
  const repository = 'isolation: {overrides: {__proto__: shared, constructor: shared, a.b: shared}}\n';
  const { config } = await loadConfig(writeConfigFiles({ user, repository }));
  expect(Object.keys(config.isolation.overrides)).toEqual([]);
});

test('a mistake in an ignored value is still reported', async () => {
  const files = writeConfigFiles({ user: STRONG, repository: 'isolation: {default: sharde}\n' });
  await expect(loadConfig(files)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
