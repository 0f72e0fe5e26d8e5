import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import { writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

const DATASET = {
  name: 'small',
  items: [
    {
      id: 'say-yes',
      description: 'Write "yes" to done.txt',
      base: { kind: 'files', files: { 'README.md': 'hello\n' } },
      graders: [{ kind: 'command', run: 'test "$(cat done.txt)" = yes' }],
    },
  ],
};

const AGENT = `import { word } from './word.mjs';
export default async ({ task, tools }) => {
  await tools.write_file.run({ path: 'done.txt', content: word });
  return 'done with ' + task.id;
};`;

test('a module in the current directory can be an agent, with its imports and without a warning', () => {
  const carrel = createTidyCarrel();
  const here = tempDir();
  writeFiles(here, {
    'set.yaml': JSON.stringify(DATASET),
    'agent.mjs': AGENT,
    'word.mjs': "export const word = 'yes';",
  });
  const args = ['eval', 'run', '--dataset', './set.yaml', '--agent', './agent.mjs', '--json'];
  const { status, stdout, stderr } = carrel.run(here, ...args);
  expect(status, stderr).toBe(0);
  expect(stderr).not.toMatch(/warning/i);
  expect(JSON.parse(stdout) as BatchRun).toMatchObject({
    agent: join(here, 'agent.mjs'),
    attempts: [{ outcome: 'passed', message: expect.stringContaining('done with say-yes') }],
  });
});
