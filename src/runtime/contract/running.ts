import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openSandbox, type RuntimeSetup, statusOf, textOf } from './subject.js';

export function runningContract(setup: RuntimeSetup): void {
  test('exit status, stdout and stderr are those of the command', async () => {
    const { script } = await openSandbox(setup);
    const result = await script('echo out; echo err >&2; exit 7');
    expect(result).toMatchObject({ exitCode: 7, signal: null, timedOut: false, cancelled: false });
    expect(textOf(result)).toBe('out\n');
    expect(result.stderr.toString()).toBe('err\n');
    expect(result.limit).toBeUndefined();
    expect(result.sandboxDied ?? false).toBe(false);
  });

  test("a command that was killed from inside reports the signal, or a shell's status for it", async () => {
    const { script } = await openSandbox(setup);
    expect(statusOf(await script('kill -KILL $$'))).toBe(128 + 9);
  });

  test('a missing program is status 127, and one that is not executable is 126', async () => {
    const { directory, sandbox } = await openSandbox(setup);
    writeFileSync(join(directory, 'text'), 'no program');
    chmodSync(join(directory, 'text'), 0o644);
    expect(await sandbox.run({ command: ['carrel-no-such-program'] })).toMatchObject({ exitCode: 127 });
    expect(await sandbox.run({ command: [join(directory, 'none')] })).toMatchObject({ exitCode: 127 });
    expect(await sandbox.run({ command: [join(directory, 'text')] })).toMatchObject({ exitCode: 126 });
  });

  test('arguments arrive unchanged', async () => {
    const { sandbox } = await openSandbox(setup);
    const words = ['a b', '', '-n', '--', '"$HOME" `id` $(id) \\', "it's", 'two\nlines', 'ü', '*'];
    const result = await sandbox.run({ command: ['printf', '[%s]', ...words] });
    expect(textOf(result)).toBe(words.map(word => `[${word}]`).join(''));
  });

  test('a program with an equals sign in its name is started', async () => {
    const { directory, sandbox } = await openSandbox(setup);
    writeFileSync(join(directory, 'a=b'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    expect(textOf(await sandbox.run({ command: [join(directory, 'a=b'), 'c=d'] }))).toBe('c=d\n');
  });

  test('standard input is what was given, from text, bytes or a stream, and nothing otherwise', async () => {
    const { script } = await openSandbox(setup);
    const bytes = Buffer.alloc(3 * 1024 ** 2, 'abcdefg\n');
    expect(textOf(await script('cat', { stdin: 'text' }))).toBe('text');
    expect((await script('cat', { stdin: bytes })).stdout.equals(bytes)).toBe(true);
    expect(textOf(await script('cat', { stdin: Readable.from(['one ', 'two']) }))).toBe('one two');
    expect(textOf(await script('cat'))).toBe('');
  });

  test('output is reported as it arrives, while the command runs', async () => {
    const { script } = await openSandbox(setup);
    const stdin = new PassThrough();
    const seen: string[] = [];
    const result = await script('echo ready; read answer; echo "$answer"', {
      stdin,
      onOutput: (stream, chunk) => {
        seen.push(`${stream} ${chunk}`);
        // It can only exit if this was reported in time.
        if (seen.length === 1) stdin.end('go\n');
      },
    });
    expect(result.exitCode).toBe(0);
    expect(seen).toEqual(['stdout ready\n', 'stdout go\n']);
  });

  test('of endless output the first bytes are kept and the rest is dropped', async () => {
    const { script } = await openSandbox(setup);
    const result = await script('head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2', {
      maxOutputBytes: 1000,
    });
    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect([result.stdout.length, result.stderr.length]).toEqual([1000, 1000]);
  });

  test('the environment is what the policy and the command say, and nothing else', async () => {
    process.env.CARREL_CONTRACT_SECRET = 'secret';
    onTestFinished(() => void delete process.env.CARREL_CONTRACT_SECRET);
    const given = { EMPTY: '', DASHES: '--', ODD: '"$x" \'y\'\n\\ =z', COMMAND: 'over' };
    const {
      policy,
      script,
      ownVariables = [],
    } = await openSandbox(setup, policy => ({
      environment: { ...policy.environment, POLICY: 'policy', COMMAND: 'under' },
    }));
    const result = await script('env -0 || cat /proc/self/environ', { environment: given });
    const entries = textOf(result)
      .split('\0')
      .filter(Boolean)
      .map(entry => /^([^=]*)=(.*)$/s.exec(entry)?.slice(1));
    const {
      PWD: _place,
      _: _program,
      SHLVL: _level,
      OLDPWD: _old,
      ...seen
    } = Object.fromEntries(entries as string[][]);
    for (const name of ownVariables) delete seen[name];
    expect(seen).toEqual({ ...policy.environment, ...given });
  });

  test('the working directory is that of the policy, or the one of the command', async () => {
    const { directory, script } = await openSandbox(setup);
    mkdirSync(join(directory, 'below'));
    expect(textOf(await script('pwd'))).toBe(`${directory}\n`);
    expect(textOf(await script('pwd', { workingDirectory: join(directory, 'below') }))).toBe(
      `${directory}/below\n`,
    );
  });

  test('files are shared with the host, and those made inside belong to the user', async () => {
    const { directory, script, user } = await openSandbox(setup);
    writeFileSync(join(directory, 'in'), 'from outside');
    const result = await script('cat in; echo from inside > out; id -u');
    expect(textOf(result)).toBe(`from outside${user.uid}\n`);
    expect(readFileSync(join(directory, 'out'), 'utf8')).toBe('from inside\n');
  });

  test('commands run at the same time, each with its own input and output', async () => {
    const { script } = await openSandbox(setup);
    const numbers = Array.from({ length: 8 }, (_, index) => String(index));
    const results = await Promise.all(
      numbers.map(stdin => script('read number; echo "<$number>"', { stdin: `${stdin}\n` })),
    );
    expect(results.map(textOf)).toEqual(numbers.map(number => `<${number}>\n`));
  });

  test('a callback that throws fails the command and kills it', async () => {
    const { script } = await openSandbox(setup);
    const failing = script('while :; do echo tick; sleep 0.05; done', {
      onOutput: () => {
        throw new Error('the log is full');
      },
    });
    await expect(failing).rejects.toThrow('the log is full');
  });
}
