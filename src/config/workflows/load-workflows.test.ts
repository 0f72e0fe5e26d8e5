import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFile } from '../../../test/helpers/task/config-files.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { loadWorkflows, requireWorkflow } from './load-workflows.js';

const text = (name: string) => `name: ${name}\ndescription: mine\nstages:\n  - {name: a, agent: planner}\n`;

function makeRoot(files: Record<string, string>): { root: string; place: (file: string) => string } {
  const root = tempDir();
  const place = (file: string) => join(root, '.carrel', 'workflows', file);
  for (const [file, contents] of Object.entries(files)) writeFile(place(file), contents);
  return { root, place };
}

test('a repository’s workflows override the built-in ones', async () => {
  const { root, place } = makeRoot({ 'feature.yaml': text('feature'), 'deploy.yml': text('deploy') });
  expect((await loadWorkflows(root)).map(({ name, source }) => [name, source])).toEqual([
    ['bugfix', 'built-in'],
    ['deploy', place('deploy.yml')],
    ['feature', place('feature.yaml')],
    ['quick', 'built-in'],
    ['refactor', 'built-in'],
  ]);
  expect(await requireWorkflow(root, 'feature')).toMatchObject({ definition: { description: 'mine' } });
  expect(await requireWorkflow(null, 'feature')).toMatchObject({ definition: { isolation: 'full' } });
});

test('a broken file affects only its own workflow', async () => {
  const { root } = makeRoot({ 'feature.yaml': 'name: [\n', 'deploy.yaml': text('deploy') });
  const found = await loadWorkflows(root);
  expect(found.filter(each => 'error' in each)).toMatchObject([
    { name: 'feature', error: { code: 'CONFIG_SYNTAX' } },
  ]);
  await expect(requireWorkflow(root, 'feature')).rejects.toMatchObject({ code: 'CONFIG_SYNTAX' });
  expect((await requireWorkflow(root, 'deploy')).name).toBe('deploy');
});

test('a file has the name of its workflow, exists once, and is in the repository', async () => {
  const { root, place } = makeRoot({
    'ship.yaml': text('deploy'),
    'twice.yaml': text('twice'),
    'twice.yml': text('twice'),
  });
  await expect(requireWorkflow(root, 'ship')).rejects.toMatchObject({
    code: 'WORKFLOW_NAME_DIFFERS',
    hint: 'rename the file to deploy.yaml, or write name: ship',
  });
  await expect(requireWorkflow(root, 'twice')).rejects.toMatchObject({ code: 'CONFIG_TWICE' });
  symlinkSync(makeRoot({ 'link.yaml': text('link') }).place('link.yaml'), place('link.yaml'));
  await expect(requireWorkflow(root, 'link')).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' });
});

test('an unknown name is reported with the known and the nearest name', async () => {
  const { root } = makeRoot({ 'deploy.yaml': text('deploy') });
  await expect(requireWorkflow(root, 'feture')).rejects.toMatchObject({
    code: 'UNKNOWN_WORKFLOW',
    message: 'there is no workflow "feture"; known: bugfix, deploy, feature, quick, refactor',
    hint: 'did you mean feature?',
  });
  for (const name of ['../workflows/deploy', 'deploy.yaml', 'constructor', ''])
    await expect(requireWorkflow(root, name)).rejects.toMatchObject({ code: 'UNKNOWN_WORKFLOW' });
});
