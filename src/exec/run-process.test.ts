import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { thoroughTest } from '../../test/helpers/flavours.js';
import { tempDir } from '../../test/helpers/temp.js';
import type { CommandResult } from '../domain/command/command.js';
import { findProcess } from './process/process-table.js';
import { type RunRequest, runProcess } from './run-process.js';

const env = { PATH: process.env.PATH ?? '' };
const fixture = (name: string) => join(import.meta.dirname, '../../test/fixtures/exec', name);

const run = (command: string, args: string[], more: Partial<RunRequest> = {}): Promise<CommandResult> =>
  runProcess({ command, args, cwd: '/', env, ...more });
const runNode = (script: string, more: Partial<RunRequest> = {}) =>
  run(process.execPath, ['-e', script], more);
const runFixture = (name: string, args: string[], more: Partial<RunRequest> = {}) =>
  run(process.execPath, [fixture(name), ...args], more);
const text = (bytes: Buffer) => bytes.toString('utf8');
const pidsIn = (bytes: Buffer) => (text(bytes).match(/\d+/g) ?? []).map(Number);
const livingOf = (pids: number[]) => pids.filter(pid => findProcess(pid));

/** Kills what a test leaves running on purpose. */
function endAfterTest(pid: number): void {
  onTestFinished(() => {
    if (findProcess(pid)) process.kill(pid, 'SIGKILL');
  });
}

/** An `onOutput` that calls `action` once `lines` lines have come on standard output. */
function afterLines(lines: number, action: () => void): NonNullable<RunRequest['onOutput']> {
  let seen = 0;
  return (_stream, chunk) => {
    const before = seen;
    seen += text(chunk).split('\n').length - 1;
    if (before < lines && seen >= lines) action();
  };
}

const onLinux = test.skipIf(process.platform !== 'linux');

describe('a command that exits on its own', () => {
  test('returns both streams and the exit status', async () => {
    const result = await run('sh', ['-c', 'echo out; echo err >&2; exit 3']);
    expect(result).toMatchObject({
      exitCode: 3,
      signal: null,
      truncated: false,
      timedOut: false,
      cancelled: false,
    });
    expect([text(result.stdout), text(result.stderr)]).toEqual(['out\n', 'err\n']);
    expect(result.durationMs).toBeGreaterThan(0);
  });

  test('returns the signal that killed it', async () => {
    expect(await run('sh', ['-c', 'kill -USR1 $$'])).toMatchObject({ exitCode: null, signal: 'SIGUSR1' });
  });

  test('gets its arguments without a shell', async () => {
    const args = ['$(id)', '* ; "x', "it's\nnew", ''];
    const result = await run(process.execPath, [
      '-p',
      'JSON.stringify(process.argv.slice(1))',
      '--',
      ...args,
    ]);
    expect(JSON.parse(text(result.stdout))).toEqual(args);
  });

  test('sees exactly the environment of the request', async () => {
    const result = await runProcess({ command: '/usr/bin/env', args: [], cwd: '/', env: { ONLY: 'this' } });
    expect(text(result.stdout)).toBe('ONLY=this\n');
  });

  onLinux("runs in its own session, so that the terminal can't be opened", async () => {
    let pid = 0;
    const result = await runNode('console.log(require("fs").readFileSync("/proc/self/stat", "utf8"))', {
      onStart: started => {
        pid = started;
      },
    });
    const [, , group, session] = text(result.stdout).split(') ')[1]?.split(' ') ?? [];
    expect([Number(group), Number(session)]).toEqual([pid, pid]);
  });

  onLinux('stays in our process group when it inherits the output', async () => {
    const path = join(tempDir(), 'stat');
    await run('sh', ['-c', `cat /proc/$$/stat > ${path}`], { output: 'inherit' });
    const { group } = findProcess(process.pid) ?? {};
    expect(Number((await run('cut', ['-d', ' ', '-f', '5', path])).stdout)).toBe(group);
  });

  test('does not wait for a descendant that keeps the output open', async () => {
    const result = await run('sh', ['-c', 'sleep 600 & echo $!']);
    const [sleeper = 0] = pidsIn(result.stdout);
    endAfterTest(sleeper);
    expect(result.exitCode).toBe(0);
    expect(livingOf([sleeper])).toEqual([sleeper]);
    expect(result.durationMs).toBeLessThan(30_000);
  });

  test('all of its output is read even when our event loop is busy', async () => {
    const block = () => {
      const until = performance.now() + 600;
      while (performance.now() < until);
    };
    const script = 'require("fs").writeSync(1, "x".repeat(10)); process.stdout.write("y".repeat(150_000))';
    let blocked = false;
    const result = await runNode(script, {
      onOutput: () => {
        if (!blocked) block();
        blocked = true;
      },
    });
    expect(result.stdout.length).toBe(150_010);
  });
});

describe("a command that can't be started", () => {
  test('rejects with the errno error when there is no such program', async () => {
    await expect(run('no-such-program-here', [])).rejects.toMatchObject({ code: 'ENOENT', syscall: /spawn/ });
  });

  test('is distinguished from a working directory that is missing or a file', async () => {
    const directory = tempDir();
    const missing = join(directory, 'missing');
    const file = join(directory, 'file');
    writeFileSync(file, '');
    for (const cwd of [missing, file]) {
      await expect(run('true', [], { cwd })).rejects.toMatchObject({
        code: 'NO_SUCH_DIRECTORY',
        details: { path: cwd },
      });
    }
  });

  test('is a result when it was cancelled before it started', async () => {
    const path = join(tempDir(), 'made');
    const result = await run('touch', [path], { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ cancelled: true, exitCode: null, timedOut: false });
    expect(existsSync(path)).toBe(false);
  });
});

describe('standard input', () => {
  test('is empty when none is given', async () => {
    expect(text((await run('cat', [])).stdout)).toBe('');
  });

  test('comes from a string, bytes or a stream', async () => {
    const bytes = Buffer.from([0, 255, 10, 128]);
    expect(text((await run('cat', [], { stdin: 'héllo' })).stdout)).toBe('héllo');
    expect((await run('cat', [], { stdin: bytes })).stdout).toEqual(bytes);
    expect(text((await run('cat', [], { stdin: Readable.from(['a', 'b', 'c']) })).stdout)).toBe('abc');
  });

  test('may be more than a program reads', async () => {
    const result = await run('head', ['-c', '3'], { stdin: Buffer.alloc(8 * 1024 ** 2, 'x') });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(text(result.stdout)).toBe('xxx');
  });

  test('from an endless stream ends with the program', async () => {
    const source = new Readable({
      read() {
        this.push('x'.repeat(65_536));
      },
    });
    expect(await run('true', [], { stdin: source })).toMatchObject({ exitCode: 0 });
    if (!source.closed) await once(source, 'close');
    expect(source.errored).toBeNull();
  });

  test('from a stream that breaks fails the run, and the program never sees an end of input', async () => {
    const path = join(tempDir(), 'complete');
    const source = Readable.from(
      (async function* () {
        yield 'first half';
        throw new Error('the disk broke');
      })(),
    );
    await expect(run('sh', ['-c', `cat; touch ${path}`], { stdin: source })).rejects.toThrow(
      'the disk broke',
    );
    expect(existsSync(path)).toBe(false);
  });
});

describe('output', () => {
  test('is cut after the first bytes of each stream and the program still exits normally', async () => {
    const result = await run('sh', ['-c', 'head -c 500000 /dev/zero | tr "\\0" a; printf bbbbbb >&2'], {
      maxOutputBytes: 5,
    });
    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect([text(result.stdout), text(result.stderr)]).toEqual(['aaaaa', 'bbbbb']);
  });

  test('of exactly the limit is not truncated', async () => {
    expect(await run('printf', ['12345'], { maxOutputBytes: 5 })).toMatchObject({ truncated: false });
  });

  thoroughTest('without end does not fill the memory', async () => {
    let bytes = 0;
    let highest = 0;
    const before = process.memoryUsage.rss();
    const stop = new AbortController();
    const result = await run('yes', ['x'.repeat(1000)], {
      maxOutputBytes: 1000,
      signal: stop.signal,
      onOutput: (_stream, chunk) => {
        bytes += chunk.length;
        highest = Math.max(highest, process.memoryUsage.rss());
        if (bytes > 1024 ** 3) stop.abort();
      },
    });
    expect(result).toMatchObject({ cancelled: true, truncated: true, signal: 'SIGTERM' });
    expect(result.stdout.length).toBe(1000);
    expect(highest - before).toBeLessThan(400 * 1024 ** 2);
  });

  test('reaches the caller as it arrives, including what exceeds the limit', async () => {
    const seen: string[] = [];
    await run('sh', ['-c', 'echo one; echo two >&2'], {
      maxOutputBytes: 0,
      onOutput: (stream, chunk) => void seen.push(`${stream} ${text(chunk)}`),
    });
    expect(seen.sort()).toEqual(['stderr two\n', 'stdout one\n']);
  });

  test('waits for a slow caller, up to the last byte and after the exit', async () => {
    const taken: number[] = [];
    let open = 0;
    const result = await run('sh', ['-c', 'head -c 1000000 /dev/zero; printf end'], {
      maxOutputBytes: 0,
      onOutput: async (_stream, chunk) => {
        expect(++open).toBe(1);
        // Longer than a run waits for output that a daemon holds back.
        await delay(taken.length === 0 ? 400 : 1);
        taken.push(chunk.length);
        open--;
      },
    });
    expect(result.exitCode).toBe(0);
    expect(taken.reduce((sum, bytes) => sum + bytes, 0)).toBe(1_000_003);
  });

  test('that a caller never reads does not prevent cancelling', async () => {
    const stop = new AbortController();
    const result = await run('yes', [], {
      maxOutputBytes: 0,
      signal: stop.signal,
      onOutput: () => {
        stop.abort();
        return new Promise(() => {});
      },
    });
    expect(result).toMatchObject({ cancelled: true, signal: 'SIGTERM' });
  });

  test('a callback that fails later fails the run and kills the program', async () => {
    const failing = run('yes', [], { onOutput: () => Promise.reject(new Error('the reader failed')) });
    await expect(failing).rejects.toThrow('the reader failed');
  });

  test('a callback that throws fails the run and kills the program', async () => {
    let pid = 0;
    const failing = runNode('setInterval(() => console.log("tick"), 5)', {
      onStart: started => {
        pid = started;
      },
      onOutput: () => {
        throw new Error('the log is full');
      },
    });
    await expect(failing).rejects.toThrow('the log is full');
    expect(livingOf([pid])).toEqual([]);
  });
});

describe('stopping early', () => {
  test('kills everything at the time limit', async () => {
    const script = 'trap "" TERM; sleep 600 & echo $! $$; wait; wait; sleep 600';
    const result = await run('sh', ['-c', script], { timeoutMs: 1500, graceMs: 100 });
    expect(result).toMatchObject({ timedOut: true, cancelled: false, exitCode: null, signal: 'SIGKILL' });
    expect(pidsIn(result.stdout)).toHaveLength(2);
    expect(livingOf(pidsIn(result.stdout))).toEqual([]);
  });

  test('kills descendants that ignore SIGTERM', async () => {
    const stop = new AbortController();
    const result = await runFixture('stubborn.mjs', ['2'], {
      signal: stop.signal,
      graceMs: 100,
      onOutput: afterLines(3, () => stop.abort()),
    });
    expect(result).toMatchObject({ timedOut: false, cancelled: true, exitCode: null, signal: 'SIGKILL' });
    expect(result.survivors).toBeUndefined();
    expect(pidsIn(result.stdout)).toHaveLength(3);
    expect(livingOf(pidsIn(result.stdout))).toEqual([]);
  });

  test('kills the grandchild of a root that exits on the first SIGTERM', async () => {
    const stop = new AbortController();
    const result = await run('sh', ['-c', `${process.execPath} ${fixture('stubborn.mjs')} & wait`], {
      signal: stop.signal,
      graceMs: 100,
      onOutput: afterLines(1, () => stop.abort()),
    });
    expect(result).toMatchObject({ cancelled: true, timedOut: false, signal: 'SIGTERM' });
    expect(pidsIn(result.stdout)).toHaveLength(1);
    expect(livingOf(pidsIn(result.stdout))).toEqual([]);
  });

  onLinux(
    'ends a daemon that left parent, group and session when the environment has a command id',
    async () => {
      const stop = new AbortController();
      const result = await runFixture('daemon.mjs', [], {
        env: { ...env, CARREL_COMMAND_ID: 'run-test-daemon' },
        signal: stop.signal,
        graceMs: 1000,
        onOutput: afterLines(2, () => stop.abort()),
      });
      const [daemon = 0] = pidsIn(result.stdout);
      endAfterTest(daemon);
      expect(daemon).toBeGreaterThan(1);
      expect(livingOf([daemon])).toEqual([]);
    },
  );

  test('kills a stopped program without waiting for the grace period', async () => {
    const stop = new AbortController();
    const result = await run('sh', ['-c', 'echo ready; kill -STOP $$'], {
      signal: stop.signal,
      graceMs: 30_000,
      onOutput: () => stop.abort(),
    });
    expect(result).toMatchObject({ cancelled: true, signal: 'SIGTERM' });
  });

  test('lets a program exit on its own within the grace period', async () => {
    const stop = new AbortController();
    const script =
      'process.on("SIGTERM", () => { console.log("bye"); process.exit(7) }); console.log("up"); setInterval(() => {}, 9)';
    const result = await runNode(script, {
      signal: stop.signal,
      graceMs: 30_000,
      onOutput: afterLines(1, () => stop.abort()),
    });
    expect(result).toMatchObject({ cancelled: true, exitCode: 7 });
    expect(text(result.stdout)).toBe('up\nbye\n');
  });

  test('with inherited output kills the tree and nothing else in our group', async () => {
    const neighbour = spawnedNeighbour();
    const result = await run('sh', ['-c', 'sleep 600 & wait'], {
      output: 'inherit',
      timeoutMs: 300,
      graceMs: 1000,
    });
    expect(result).toMatchObject({ timedOut: true });
    expect(findProcess(neighbour)?.group).toBe(findProcess(process.pid)?.group);
  });

  test('does not happen when the limit is longer than a timer supports', async () => {
    expect(await run('sleep', ['0.2'], { timeoutMs: 2 ** 31 + 5 })).toMatchObject({
      timedOut: false,
      exitCode: 0,
    });
  });
});

/** A process in our own group that is no child of a running command. */
function spawnedNeighbour(): number {
  const { stdout } = spawnSync('sh', ['-c', 'sleep 600 >/dev/null 2>&1 & echo $!'], { encoding: 'utf8' });
  endAfterTest(Number(stdout));
  return Number(stdout);
}
