import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { loadConfig } from '../load-config.js';
import { userOnlyKeys } from '../precedence/user-only-settings.js';
import { exampleWorkflows } from '../workflows/example-workflows.js';
import { loadWorkflow } from '../workflows/load-workflow.js';
import { defaultConfig } from './defaults.js';
import { initialConfig } from './init-template.js';

async function load(text: string) {
  const repositoryRoot = tempDir();
  mkdirSync(join(repositoryRoot, '.carrel'));
  writeFileSync(join(repositoryRoot, '.carrel', 'config.yaml'), text);
  return loadConfig({ repositoryRoot, userFile: null });
}

test('the configuration that init writes loads and sets only the isolation', async () => {
  const { config, origins } = await load(initialConfig);
  expect(config).toEqual({
    ...defaultConfig,
    isolation: { ...defaultConfig.isolation, default: 'worktree' },
  });
  const set = Object.keys(origins).filter(key => origins[key]?.file !== 'default');
  expect(set).toEqual(['version', 'isolation.default']);
});

test('with every commented setting switched on it still loads, and shows every key that a repository may set', async () => {
  const { origins } = await load(initialConfig.replaceAll(/^#(?! \S)/gm, ''));
  const isUserOnly = (key: string) => (userOnlyKeys as readonly string[]).includes(key);
  const isSet = (key: string) => origins[key]?.file !== 'default';
  const keys = Object.keys(origins).filter(key => !key.startsWith('templates.'));
  expect(keys.filter(key => !isSet(key) && !isUserOnly(key))).toEqual([]);
  expect(keys.filter(key => isSet(key) && isUserOnly(key))).toEqual([]);
});

test.each(Object.entries(exampleWorkflows))(
  'the example workflow %s loads under its name, unchanged and with every setting switched on',
  async (name, text) => {
    const file = join(tempDir(), `${name}.yaml`);
    writeFileSync(file, text);
    const { validation, ...plain } = await loadWorkflow(file);
    expect([plain.name, validation]).toEqual([name, undefined]);
    writeFileSync(file, text.replaceAll(/^#(?! \S)/gm, ''));
    expect(await loadWorkflow(file)).toMatchObject({ ...plain, validation: expect.any(Array) });
  },
);
