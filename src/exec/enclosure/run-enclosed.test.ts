import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, type TestContext, test } from 'vitest';
import { findByWord } from '../../../test/helpers/machine/processes.js';
import { overlayDir, requireOverlay } from '../../../test/helpers/pool/overlay.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requirePart } from '../../../test/parts/required-part.js';
import { mountOverlay, unmountUnused } from '../filesystem/overlay-mount.js';
import type { RunRequest } from '../run-process.js';
import { findEnclosure } from './pid-namespace.js';
import { runEnclosed } from './run-enclosed.js';

const PATH = '/usr/bin:/bin';

/** Runs text for the shell. */
async function enclosed(context: TestContext, script: string, more: Partial<RunRequest> = {}) {
  const cwd = tempDir();
  const enclosure = await findEnclosure(PATH, cwd);
  requirePart(context, enclosure !== undefined, 'pid namespaces');
  const request = { command: 'sh', args: ['-c', script], cwd, env: { PATH }, ...more };
  return { cwd, ...(await runEnclosed(enclosure ?? [], request, cwd)) };
}

/** Without its session, parent, environment and directory; identified by the last word of its command line. */
const daemon = (word: string, text = ':') =>
  `(env -i PATH=${PATH} setsid sh -c 'cd /; ${text}; : > "$0"; while :; do sleep 1; done' "$PWD/up" ${word} > /dev/null 2>&1 &)
while test ! -e up; do sleep 0.01; done`;

test('a program gets its streams and arguments, and its exit status is returned', async context => {
  const script = 'cat; echo "$1" >&2; test ! -e /proc/self/fd/3 && test ! -e /proc/self/fd/4 && exit 7';
  const args = ['-c', script, 'sh', 'a  b'];
  const result = await enclosed(context, '', { args, stdin: 'words' });
  const { exitCode, stdout, stderr, leftovers } = result;
  expect([exitCode, leftovers, String(stdout), String(stderr)]).toEqual([7, 0, 'words', 'a  b\n']);
  expect(await enclosed(context, 'kill -9 $$')).toMatchObject({ exitCode: 137, stderr: Buffer.alloc(0) });
});

test('a daemon that hid all its traces is counted and killed', async context => {
  const word = `daemon-${process.pid}-plain`;
  const { exitCode, leftovers } = await enclosed(context, daemon(word));
  expect([exitCode, leftovers]).toEqual([0, 2]);
  expect(findByWord(word)).toEqual([]);
});

test("a daemon with a name like a zombie's state is counted", async context => {
  const script = `cp /bin/sleep 'a) Z b'; (setsid './a) Z b' 100 > /dev/null 2>&1 &)
until grep -qsxF 'a) Z b' /proc/[0-9]*/comm; do sleep 0.01; done`;
  expect(await enclosed(context, script)).toMatchObject({ exitCode: 0, leftovers: 1 });
});

test('a program gets the given variables, including those that a shell would change', async context => {
  const names = ['source', 'target', 'rounds', 'status', 'IFS', 'OPTIND', 'a.b', '-x', 'BASH_FUNC_f%%'];
  const given = Object.fromEntries(names.map(name => [name, `mine of ${name}`]));
  const script = 'process.stdout.write(JSON.stringify({ ...process.env, PATH: undefined, PWD: undefined }))';
  const { stdout } = await enclosed(context, '', {
    command: process.execPath,
    args: ['-e', script],
    env: { PATH, ...given },
  });
  expect(JSON.parse(String(stdout))).toMatchObject(given);
  expect(String(stdout)).not.toContain('CARREL_');
});

test("a failure to create the namespace is not reported as the program's exit status", async context => {
  const cwd = tempDir();
  const enclosure = await findEnclosure(PATH, cwd);
  requirePart(context, enclosure !== undefined, 'pid namespaces');
  const refusing = [...(enclosure ?? []).slice(0, -1), '--mount-proc=/no/such/place', '--'];
  const request = { command: 'true', args: [], cwd, env: { PATH } };
  await expect(runEnclosed(refusing, request, cwd)).rejects.toMatchObject({ code: 'PID_NAMESPACE_FAILED' });
});

test('one that ignores SIGTERM is killed', async context => {
  const word = `daemon-${process.pid}-deaf`;
  const result = await enclosed(context, daemon(word, 'trap "" TERM'), { graceMs: 100 });
  expect(result).toMatchObject({ exitCode: 0 });
  expect(findByWord(word)).toEqual([]);
});

test('at the time limit a program gets SIGTERM, and its daemons are killed as well', async context => {
  const word = `daemon-${process.pid}-late`;
  const script = `${daemon(word)}\ntrap 'echo ended; exit' TERM; while :; do sleep 0.05; done`;
  const result = await enclosed(context, script, { timeoutMs: 500 });
  expect(result).toMatchObject({ timedOut: true, stdout: Buffer.from('ended\n') });
  expect(result.survivors).toBeUndefined();
  expect(findByWord(word)).toEqual([]);
});

test('a missing program, and one named like a shell builtin, behave as without the shell', async context => {
  await expect(enclosed(context, '', { command: 'no-such-program' })).rejects.toMatchObject({
    code: 'ENOENT',
  });
  await expect(enclosed(context, '', { command: 'exit', args: ['3'] })).rejects.toMatchObject({
    code: 'ENOENT',
  });
  // Without a PATH the default one is used.
  expect(await enclosed(context, 'exit 3', { env: {} })).toMatchObject({ exitCode: 3, leftovers: 0 });
});

test('an exclusive overlay can be mounted again while an unrelated program runs', async context => {
  await requireOverlay(context);
  const root = join(overlayDir(), 'a b');
  mkdirSync(root);
  const [lower, upper, work, target] = ['lower', 'upper', 'work', 'target'].map(name => {
    mkdirSync(join(root, name));
    return join(root, name);
  }) as [string, string, string, string];
  const mount = { lower, upper, work, target, volatile: false, exclusive: true };
  await mountOverlay(mount);
  const stdin = new PassThrough();
  let again: Promise<void> | undefined;
  const mountAgain = async () => {
    expect(await unmountUnused(target)).toBe(true);
    // A namespace that another test creates between the two mounts keeps the first one until it exits.
    const isMounted = () =>
      mountOverlay(mount).then(
        () => true,
        () => false,
      );
    await expect.poll(isMounted, { timeout: 30_000 }).toBe(true);
  };
  const onOutput = () => {
    again = mountAgain().finally(() => stdin.end());
  };
  expect(await enclosed(context, 'echo up; cat', { stdin, onOutput })).toMatchObject({ exitCode: 0 });
  await again;
  expect(again).toBeDefined();
});
