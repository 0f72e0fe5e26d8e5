import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { requireProgram } from '../../../../test/parts/required-part.js';
import { harborRunner } from './harbor-scripts.js';

beforeEach(context => requireProgram(context, 'bash'));

/** The reward when tests run a program that the agent wrote. */
function rewardOf(tests: string, program: string, environment = {}): string {
  const directory = tempDir();
  writeFiles(directory, {
    '.harbor/run.sh': harborRunner('/app', environment),
    '.harbor/tests/test.sh': tests,
    'program.sh': program,
  });
  spawnSync('sh', ['.harbor/run.sh'], { cwd: directory });
  return readFileSync(join(directory, '.harbor/reward'), 'utf8').trim();
}

test('ignores a reward in a file that the tests never write', () => {
  const forge = 'echo \'{"reward": 1}\' > .harbor/logs/verifier/reward.json\n';
  expect(rewardOf('sh /app/program.sh\necho 0 > /logs/verifier/reward.txt\n', forge)).toBe('0');
  const other = 'sh /app/program.sh\necho 0 > /logs/verifier/reward.json\n';
  expect(rewardOf(other, 'echo 1 > .harbor/logs/verifier/reward.txt\n')).toBe('0');
  const composed = 'name=reward; echo 0.5 > /logs/verifier/$name.json\n';
  expect(rewardOf(composed, '')).toBe('0.5');
});

test('gives no reward when the test script changed while it ran', () => {
  const tests = 'sh /app/program.sh\necho 0 > /logs/verifier/reward.txt\n';
  const extend = "echo 'echo 1 > .harbor/logs/verifier/reward.txt' >> .harbor/tests/test.sh\n";
  expect(rewardOf(tests, extend)).toBe('written again');
});

test("the task's own variables reach the tests", () => {
  const environment = { place: 'here', name: 'mine', status: '0.5' };
  const tests = 'test "$place $name" = "here mine" && echo "$status" > /logs/verifier/reward.txt\n';
  expect(rewardOf(tests, '', environment)).toBe('0.5');
});
