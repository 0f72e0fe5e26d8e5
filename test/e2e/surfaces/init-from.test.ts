import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InitResult } from '../../../src/domain/report/result.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

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
isolation: full
stages:
  - name: planning
    agent: planner
    description: Create implementation plan
    outputs:
      - implementation_plan
`;

test('init --from apex takes over the files of the document as they are, and they load', () => {
  const carrel = createTidyCarrel();
  const repository = makeRepository({
    '.apex/config.yaml': CONFIG,
    '.apex/workflows/feature.yaml': WORKFLOW,
  });
  const result = carrel.json<InitResult>(repository, 'init', '--from', 'apex');
  const [config, workflow] = ['config.yaml', 'workflows/feature.yaml'].map(name =>
    join(repository, '.carrel', name),
  ) as [string, string];
  expect(result).toMatchObject({ written: [config, workflow], kept: [], untranslated: [] });
  expect(result.warnings[0]).toBe('isolation.default: shared counts only in your own configuration file');
  expect([readFileSync(config, 'utf8'), readFileSync(workflow, 'utf8')]).toEqual([CONFIG, WORKFLOW]);
  const shown = carrel.json<{ values: { key: string; value: unknown }[] }>(repository, 'config', 'show');
  expect(JSON.stringify(shown)).toContain('node:20-alpine');
  expect(carrel.json(repository, 'workflow', 'show', 'feature')).toMatchObject({
    isolation: 'full',
  });
});

thoroughTest(
  'init --from apex says what it left out, keeps the rest with its comments, and overwrites nothing',
  () => {
    const carrel = createTidyCarrel();
    const repository = makeRepository();
    const elsewhere = tempDir();
    writeFiles(elsewhere, {
      '.apex/config.yaml': `${CONFIG}    volumes:\n      /data: /data\nautonomy: high\nlimits:\n  maxTokensPerTask: 5\n`,
      '.apex/workflows/feature.yaml': `${WORKFLOW}    maxAttempts: 3\n`,
      '.apex/workflows/broken.yaml': 'name: broken\ndescription: It has no stages\n',
    });
    const outcome = carrel.run(repository, 'init', '--from', 'apex', elsewhere);
    expect(outcome.status).toBe(0);
    const config = join(elsewhere, '.apex/config.yaml');
    const leftOut = outcome.stderr.split('\n').filter(line => line.startsWith('left out: '));
    expect(leftOut.map(line => line.replaceAll(elsewhere, ''))).toMatchInlineSnapshot(`
    [
      "left out: autonomy of /.apex/config.yaml: Carrel has no such setting",
      "left out: limits of /.apex/config.yaml: Carrel has no such setting",
      "left out: workspace.container.volumes of /.apex/config.yaml: only your own configuration file may set it",
      "left out: stages of /.apex/workflows/broken.yaml: found missing; expected a list; nothing of the file is used",
      "left out: stages.0.maxAttempts of /.apex/workflows/feature.yaml: Carrel has no such setting",
    ]
  `);
    expect(leftOut.join('\n')).toContain(`autonomy of ${config}`);
    const written = readFileSync(join(repository, '.carrel/config.yaml'), 'utf8');
    expect(written).toContain('feature: full # Features get full container+worktree isolation');
    expect(written).not.toMatch(/volumes|autonomy|maxTokens/);
    expect(existsSync(join(repository, '.carrel/workflows/broken.yaml'))).toBe(false);
    expect(carrel.run(repository, 'config', 'show').status).toBe(0);
    expect(carrel.run(repository, 'workflow', 'show', 'feature').status).toBe(0);
    // A second time keeps what is there.
    writeFiles(repository, { '.carrel/config.yaml': '# mine\n' });
    const again = carrel.json<InitResult>(repository, 'init', '--from', 'apex', elsewhere);
    expect(again).toMatchObject({ written: [], kept: [expect.any(String), expect.any(String)] });
    expect(readFileSync(join(repository, '.carrel/config.yaml'), 'utf8')).toBe('# mine\n');
  },
);

test('init --from anvil translates the two settings of its section', () => {
  const carrel = createTidyCarrel();
  const section = { PreserveFailedWorkspaces: true, WorkspaceCleanupDays: 9, Verbose: true };
  const repository = makeRepository({ 'appsettings.json': JSON.stringify({ Logging: {}, Anvil: section }) });
  const result = carrel.json<InitResult>(repository, 'init', '--from', 'anvil');
  expect(result.untranslated).toEqual([
    {
      file: join(repository, 'appsettings.json'),
      key: 'Anvil.Verbose',
      reason: 'Carrel has no such setting',
    },
  ]);
  expect(readFileSync(join(repository, '.carrel/config.yaml'), 'utf8')).toBe(
    'version: "1.0"\nworkspace:\n  preserveOnFailure: true\n  cleanupDays: 9\n',
  );
  expect(carrel.run(repository, 'config', 'show').status).toBe(0);
});

test('init --from refuses what it cannot read, and writes nothing', () => {
  const carrel = createTidyCarrel();
  const repository = makeRepository({ 'settings.json': '{ "Logging": {} }', '.apex/config.yaml': 'a: [\n' });
  const refusals = [
    ['forage'],
    ['apexx'],
    ['anvil'],
    ['anvil', 'settings.json'],
    ['apex'],
    ['apex', tempDir()],
  ].map(words => carrel.error(repository, 'init', '--from', ...words).code);
  expect(refusals).toEqual([
    'INVALID_INPUT',
    'INVALID_INPUT',
    'CONFIG_UNREADABLE',
    'CONFIG_UNREADABLE',
    'CONFIG_SYNTAX',
    'CONFIG_UNREADABLE',
  ]);
  expect(carrel.error(repository, 'init', 'elsewhere')).toMatchObject({ code: 'INVALID_INPUT' });
  expect(existsSync(join(repository, '.carrel'))).toBe(false);
});
