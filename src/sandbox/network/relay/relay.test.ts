import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { flavours } from '../../../../test/helpers/flavours.js';
import {
  type ClosedNetwork,
  type Ended,
  ended,
  type InsideOptions,
  openClosedNetwork,
  runInside,
  serveHttp,
  startInside,
} from '../../../../test/helpers/network/closed-network.js';
import { onlyPrograms } from '../../../../test/helpers/network/only-programs.js';
import { writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { requireBubblewrap } from '../../../../test/parts/bubblewrap.js';
import { requireProgram } from '../../../../test/parts/required-part.js';
import { relayCommand, relayEnvironment } from './relay.js';

const TOOLS = ['sh', 'cat', 'curl', 'grep', 'head', 'printf', 'sha256sum', 'sleep'];

describe.each(flavours<'perl' | 'python3' | 'node' | 'socat'>('perl', 'python3', 'node', 'socat'))(
  'the relay in %s',
  relay => {
    /** A network with a host that answers `hello`, and a sandbox in which this relay is the only one. */
    async function prepare(context: TestContext) {
      requireBubblewrap(context);
      const programs = onlyPrograms([...TOOLS, relay]);
      for (const program of ['curl', 'grep'] as const) requireProgram(context, program);
      if (relay !== 'node') requireProgram(context, relay);
      const port = await serveHttp((_message, answer) => answer.end('hello'));
      const network = await openClosedNetwork({ allow: ['good.test'], servers: { 'good.test:80': port } });
      const options: InsideOptions = programs ?? {};
      const run = (command: readonly string[], stdin = ''): Promise<Ended> =>
        runInside(network, network.wrap(command), { ...options, stdin });
      return { network, options, run };
    }

    test('gives the command access to the network', async context => {
      const { network, run } = await prepare(context);
      expect(await run(['curl', '-sS', 'http://good.test/'])).toEqual(succeeded('hello'));
      expect(await run(['curl', '-sS', '--noproxy', '*', 'http://good.test/'])).toMatchObject({ status: 6 });
      expect(network.refusals()).toBe(0);
    });

    test('leaves arguments, variables, standard input and the exit status as they are', async context => {
      const { run } = await prepare(context);
      const words = ['', 'a b', "it's", '"$HOME"', 'line\nbreak', '-n', '*'];
      const program = 'printf "<%s>" "$@"; cat; exit 7';
      const result = await run(['sh', '-c', program, 'sh', ...words], 'from stdin');
      const stdout = `${words.map(word => `<${word}>`).join('')}from stdin`;
      expect(result).toEqual({ status: 7, signal: null, stdout, stderr: '' });
      expect((await run(['sh', '-c', 'set'])).stdout).not.toMatch(/carrel_/);
    });

    test('says so when there is no such command, and when a signal ended it', async context => {
      const { run } = await prepare(context);
      expect(await run(['no-such-command'])).toMatchObject({ status: 127 });
      expect(await run(['sh', '-c', 'kill -TERM $$'])).toMatchObject({ status: 128 + 15 });
    });

    test('is not a child of the command and holds none of its streams', async context => {
      const { run } = await prepare(context);
      const wait = [
        '/usr/bin/perl',
        '-e',
        'print wait(), " "; print -d "/proc/self/fd/3" ? "open" : "closed"',
      ];
      expect(await run(wait)).toEqual(succeeded('-1 closed'));
    });

    test('keeps running when the command ignores signals to its group', async context => {
      const { run } = await prepare(context);
      const program = `
      trap "" TERM INT HUP QUIT
      for name in TERM INT HUP QUIT; do kill -$name 0; done
      curl -s --retry 5 --retry-connrefused http://good.test/`;
      expect(await run(['sh', '-c', program])).toEqual(succeeded('hello'));
    });

    test('stops with the command where the sandbox keeps running, and never blocks another', async context => {
      const { network, options } = await prepare(context);
      const command = network.wrap(['curl', '-sS', 'http://good.test/']);
      const program = `
      count() { set -- /proc/[0-9]*; echo $#; }
      before=$(count)
      "$@" & "$@" & wait
      until [ "$(count)" = "$before" ]; do sleep 0.05; done
      echo ' and gone'`;
      const result = await ended(startInside(network, ['sh', '-c', program, 'sh', ...command], options));
      expect(result).toEqual(succeeded('hellohello and gone\n'));
    });

    test('transfers large data in both directions unchanged', async context => {
      const { options } = await prepare(context);
      const bytes = Buffer.alloc(8 * 1024 * 1024, 'all work and no play ');
      const port = await serveHttp((message, answer) => void message.pipe(answer));
      const network = await openClosedNetwork({
        id: 'op_2',
        allow: ['echo.test'],
        servers: { 'echo.test:80': port },
      });
      const program = 'curl -sS -H Expect: --data-binary @- http://echo.test/ | sha256sum';
      const child = startInside(network, network.wrap(['sh', '-c', program]), options);
      child.stdin?.end(bytes);
      const sum = createHash('sha256').update(bytes).digest('hex');
      expect(await ended(child)).toEqual(succeeded(`${sum}  -\n`));
    });

    test('gives no access when the proxy is dead', async context => {
      const { network, options, run } = await prepare(context);
      const program = 'curl -sS http://good.test/ && read go && curl -sS http://good.test/; echo " $?"';
      const child = startInside(network, network.wrap(['sh', '-c', program]), options);
      child.stdout?.once('data', async () => {
        await network.close();
        child.stdin?.end('go\n');
      });
      const { stdout } = await ended(child);
      expect(stdout).toMatch(/^hello (52|56)\n$/);
      expect(await run(['cat', '/etc/hostname'])).toMatchObject({ status: 125, stdout: '' });
    });
  },
);

test('without an interpreter for the relay the command is not run, and the error says so', async context => {
  requireBubblewrap(context);
  const network = await openClosedNetwork({ allow: ['good.test'] });
  const result = await runInside(
    network,
    network.wrap(['cat', '/proc/self/comm']),
    onlyPrograms(['sh', 'cat']),
  );
  expect(result).toMatchObject({ status: 125, stdout: '' });
  expect(() => network.requireReached({ exitCode: result.status })).toThrow(
    expect.objectContaining({ code: 'NETWORK_UNAVAILABLE' }),
  );
});

test('a command that has the exit status of a missing relay is not mistaken for one', async context => {
  requireBubblewrap(context);
  const network: ClosedNetwork = await openClosedNetwork({ allow: ['good.test'] });
  const { status } = await runInside(network, network.wrap(['sh', '-c', 'exit 125']));
  expect(status).toBe(125);
  network.requireReached({ exitCode: status });
});

test.each([
  ['the proxy', { proxy: '/nowhere/proxy' }],
  ['ports', { ports: { socket: '/nowhere/ports', numbers: [20_000] } }],
])('a relay to %s is never in the directory of the command, not even while it starts', (_, request) => {
  const bin = tempDir();
  writeFiles(bin, { perl: `#!/bin/sh\npwd > '${bin}/new' && mv '${bin}/new' '${bin}/directory'\n` });
  chmodSync(join(bin, 'perl'), 0o755);
  const wait = ['sh', '-c', `until [ -e '${bin}/directory' ]; do sleep 0.01; done`];
  const [program = '', ...words] = relayCommand(request, wait);
  const PATH = `${bin}${delimiter}${process.env.PATH}`;
  spawnSync(program, words, { cwd: tempDir(), env: { PATH }, timeout: 20_000 });
  expect(readFileSync(join(bin, 'directory'), 'utf8')).toBe('/\n');
});

test('servers inside are reached without the proxy, unless the list names the host machine', () => {
  expect(relayEnvironment(['good.test']).NO_PROXY).toBe('localhost,127.0.0.1,::1');
  expect(relayEnvironment(['localhost:8080']).NO_PROXY).toBe('127.0.0.1,::1');
});

const succeeded = (stdout: string): Ended => ({ status: 0, signal: null, stdout, stderr: '' });
