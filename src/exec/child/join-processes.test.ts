import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { type RunRequest, runProcess } from '../run-process.js';
import { joinProcesses } from './join-processes.js';

const shell = (script: string): RunRequest => ({ command: 'sh', args: ['-c', script], cwd: '/', env: {} });

const join = (first: string, second: string) =>
  joinProcesses(
    (ends, signal) => runProcess({ ...shell(first), join: ends, signal }),
    (ends, signal) => runProcess({ ...shell(second), ...ends, signal }),
  );

test("each receives the other's output from the first byte", async () => {
  const [first, second] = await join(
    'echo hello; read -r answer; echo "first heard $answer" >&2',
    'sleep 0.1; read -r word; echo "you said $word"; echo "second heard $word" >&2',
  );
  expect(first.stderr.toString()).toBe('first heard you said hello\n');
  expect(second?.stderr.toString()).toBe('second heard hello\n');
});

test('megabytes pass in both directions unchanged', async () => {
  const [first, second] = await join(
    'cat | wc -c >&2; head -c 3000000 /dev/zero',
    'head -c 50000000 /dev/zero; exec 1>&-; cat | wc -c >&2',
  );
  expect(first.stderr.toString().trim()).toBe('50000000');
  expect(second?.stderr.toString().trim()).toBe('3000000');
});

test('when one exits, the other sees the end of its input', async () => {
  const [first, second] = await join('cat >/dev/null; exit 3', 'exit 4');
  expect([first.exitCode, second?.exitCode]).toEqual([3, 4]);
  const [early, late] = await join('exit 5', 'cat >/dev/null; exit 6');
  expect([early.exitCode, late?.exitCode]).toEqual([5, 6]);
});

thoroughTest('one that keeps running after the other exits is killed', async () => {
  const [first, second] = await join('exit 0', 'exec 0<&-; trap "" PIPE; sleep 600');
  expect(first.exitCode).toBe(0);
  expect(second?.cancelled).toBe(true);
});

test("when the second can't be started, the first is not left waiting", async () => {
  const problem = new Error('no sandbox');
  const failing = joinProcesses(
    (ends, signal) => runProcess({ ...shell('cat >/dev/null'), join: ends, signal }),
    () => Promise.reject(problem),
  );
  await expect(failing).rejects.toBe(problem);
});

test("when the first can't be started, the second is not started", async () => {
  let wasRun = false;
  const failing = joinProcesses(
    (ends, signal) => runProcess({ ...shell(''), command: '/nonexistent', join: ends, signal }),
    async () => {
      wasRun = true;
    },
  );
  await expect(failing).rejects.toThrow();
  expect(wasRun).toBe(false);
});
