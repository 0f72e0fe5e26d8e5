import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { createProcessEnvironment } from '../../exec/process-environment.js';
import { runSetup, trustDigest } from './setup-commands.js';

const env = { PATH: process.env.PATH ?? '' };

function setup(commands: string[], cwd = tempDir(), more: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  const lines: string[] = [];
  const done = runSetup({
    commands,
    environment: createProcessEnvironment(cwd, env),
    timeoutMs: 30_000,
    narrate: line => lines.push(line),
    ...more,
  });
  return { done, lines, cwd };
}

test('approval is for exactly these commands in exactly this order', () => {
  const digests = [['a', 'b'], ['b', 'a'], ['a\nb'], ['a b'], ['a', 'b', ''], [' a', 'b'], []].map(
    trustDigest,
  );
  expect(new Set(digests).size).toBe(7);
  expect(trustDigest(['a', 'b'])).toBe(digests[0]);
  expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
});

test('commands run in order, in the workspace, each announced before it runs', async () => {
  const { done, lines, cwd } = setup(['echo one > log', 'echo "two $(pwd)" >> log']);
  await done;
  expect(readFileSync(join(cwd, 'log'), 'utf8')).toBe(`one\ntwo ${cwd}\n`);
  expect(lines).toEqual(['setup: echo one > log', 'setup: echo "two $(pwd)" >> log']);
});

test('the first failure stops it, with the last lines of output and no control sequences', async () => {
  const noisy =
    'for i in $(seq 50); do echo "line $i"; done; printf "10%%\\r\\033[31m99%%\\033[0m\\n\\a" >&2; exit 3';
  const { done, cwd } = setup([noisy, 'touch never']);
  const error = await done.catch(error => error);
  expect(error).toMatchObject({
    code: 'SETUP_FAILED',
    details: { command: noisy, exitCode: 3, timedOut: false },
  });
  const output: string[] = error.details.output.split('\n');
  expect(output).toHaveLength(20);
  expect(output.sort()).toEqual(
    ['99%', ...Array.from({ length: 19 }, (_, index) => `line ${index + 32}`)].sort(),
  );
  expect(() => readFileSync(join(cwd, 'never'))).toThrow();
});

test('a command that takes too long fails with a timeout', async () => {
  const { done } = setup(['echo begun; exec sleep 60'], tempDir(), { timeoutMs: 300 });
  await expect(done).rejects.toMatchObject({
    code: 'SETUP_FAILED',
    details: { timedOut: true, exitCode: null, output: 'begun' },
  });
});

test('cancelling is not a failure of the command', async () => {
  const controller = new AbortController();
  const cwd = tempDir();
  const { done } = setup(['exec sleep 60'], cwd, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(done).rejects.toThrow('enough');
});
