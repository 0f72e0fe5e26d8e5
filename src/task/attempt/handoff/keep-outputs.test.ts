import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleStage } from '../../../../test/helpers/task/sample-task.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import type { Context } from '../../../operations/context.js';
import { keepOutputs, type LeftByAgent } from './keep-outputs.js';
import { readInputs } from './read-inputs.js';

const file = (path: string, content = path) => ({ path, content: Buffer.from(content) });
const leave = (left: Partial<LeftByAgent>): LeftByAgent => ({
  declared: [],
  collected: { files: [], warnings: [] },
  message: null,
  ...left,
});

function makeState() {
  const stateDir = tempDir();
  const context = { places: { stateDir } } as Context;
  return {
    stateDir,
    keep: (stage: string, left: LeftByAgent) => keepOutputs(context, 'task_1', stage, left),
  };
}

test('a declared output is the file with its name, with or without an extension, and other files are kept too', async () => {
  const { stateDir, keep } = makeState();
  const files = ['design', 'design.md', 'plan.txt', 'notes/plan.md', 'to-do-list.md'].map(path => file(path));
  const collected = { files, warnings: ['the output "x" was left out: it is not a regular file'] };
  const declared = ['plan', 'design', 'to-do-list'];
  const { outputs, ...rest } = await keep('Planning', leave({ declared, collected, message: 'unused' }));
  expect(rest).toEqual({ missing: [], warnings: collected.warnings });
  expect(outputs.map(({ name, source, bytes }) => [name, source, bytes])).toEqual([
    ['plan', 'file', 8],
    ['design', 'file', 6],
    ['to-do-list', 'file', 13],
    ['design.md', 'file', 9],
    ['notes/plan.md', 'file', 13],
  ]);
  for (const output of outputs)
    expect(output.file.startsWith(join(stateDir, 'tasks/task_1/outputs/'))).toBe(true);
  expect(outputs.map(output => readFileSync(output.file, 'utf8'))).toContain('plan.txt');
});

test('the final message replaces a missing output; without one it is reported as missing', async () => {
  const { keep } = makeState();
  const declared = ['plan', 'report.json', '../../evil'];
  const { outputs, missing } = await keep('a', leave({ declared, message: 'My plan.' }));
  expect(missing).toEqual([]);
  expect(outputs.map(({ name, source }) => [name, source])).toEqual(declared.map(name => [name, 'message']));
  expect(outputs.map(output => output.file.split('/outputs/a/')[1])).toEqual([
    'plan.md',
    'report.json',
    expect.stringMatching(/^evil-[0-9a-f]{8}\.md$/),
  ]);
  expect(readFileSync(outputs[0]?.file as string, 'utf8')).toBe('My plan.');

  const again = await keep(
    'a',
    leave({ declared, message: ' \n', collected: { files: [file('plan')], warnings: [] } }),
  );
  expect(again.missing).toEqual(['report.json', '../../evil']);
  expect(existsSync(outputs[1]?.file as string)).toBe(false);
});

test('a stage reads the outputs of earlier stages under distinct names', async () => {
  const { keep } = makeState();
  const keepFrom = async (name: string, path: string, content: string) => {
    const collected = { files: [{ path, content: Buffer.from(content, 'latin1') }], warnings: [] };
    const { outputs } = await keep(name, leave({ declared: [path.split('.')[0] as string], collected }));
    return sampleStage({ name, status: 'succeeded', outputs: [...outputs] });
  };
  const stages = [
    await keepFrom('planning', 'plan.txt', 'A plan.'),
    await keepFrom('design', 'picture.png', '\x89PNG\0'),
    await keepFrom('first look', 'review.md', 'Good.'),
    await keepFrom('second look', 'review.md', 'Bad.'),
    { ...(await keepFrom('third look', 'review.md', 'None.')), status: 'failed' as const },
  ];
  const inputs = await readInputs(stages, ['plan', 'picture', 'review', 'plan']);
  expect(inputs.map(({ name, fileName, text }) => [name, fileName, text])).toEqual([
    ['plan', 'plan.txt', 'A plan.'],
    ['picture', 'picture.png', null],
    ['review, by first look', expect.stringMatching(/^first-look-[0-9a-f]{8}-review\.md$/), 'Good.'],
    ['review, by second look', expect.stringMatching(/^second-look-[0-9a-f]{8}-review\.md$/), 'Bad.'],
  ]);
  rmSync(stages[0]?.outputs[0]?.file as string);
  await expect(readInputs(stages, ['plan'])).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});
