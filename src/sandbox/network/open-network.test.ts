import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  openClosedNetwork,
  runInside,
  serve,
  serveHttp,
} from '../../../test/helpers/network/closed-network.js';
import { git, makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { requireProgram } from '../../../test/parts/required-part.js';
import { sandboxPlace } from '../sandbox-place.js';

test('curl inside reaches only listed hosts, and refusals are in the log', async context => {
  requireBubblewrap(context);
  requireProgram(context, 'curl');
  const port = await serveHttp((message, answer) => answer.end(`${message.headers.host} ${message.url}`));
  const network = await openClosedNetwork({ allow: ['good.test'], servers: { 'good.test:80': port } });
  const fetch = (url: string) => runInside(network, network.wrap(['curl', '-sS', url]));

  expect(await fetch('http://good.test/a?b')).toMatchObject({ status: 0, stdout: 'good.test /a?b' });
  expect(await fetch('http://bad.test/')).toMatchObject({
    status: 0,
    stdout: 'carrel: bad.test:80 is not in sandbox.allow\n',
  });
  expect(await fetch('http://good.test@bad.test/')).toMatchObject({
    stdout: expect.stringContaining('bad.test:80'),
  });
  expect(await fetch('https://bad.test/')).toMatchObject({
    status: 56,
    stderr: expect.stringContaining('403'),
  });

  await network.close();
  expect(network.refusals()).toBe(3);
  expect(network.refused()).toEqual(['bad.test:80 not-allowed', 'bad.test:443 not-allowed']);
});

test('a listed name that resolves to an internal address is not reachable from inside', async context => {
  requireBubblewrap(context);
  requireProgram(context, 'curl');
  const port = await serveHttp((_message, answer) => answer.end('secret'));
  const servers = { 'good.test:80': port };
  const fetch = ['curl', '-sS', 'http://good.test/'];
  const honest = await openClosedNetwork({ allow: ['good.test'], servers });
  expect(await runInside(honest, honest.wrap(fetch))).toMatchObject({ stdout: 'secret' });

  const resolve = async () => ['127.0.0.1'];
  const rebound = await openClosedNetwork({ id: 'op_2', allow: ['good.test'], servers, resolve });
  const { stdout } = await runInside(rebound, rebound.wrap(fetch));
  expect(stdout).toBe('carrel: good.test:80 resolves to a private address\n');
});

test('https passes through unchanged, and another host name inside it is refused', async context => {
  requireBubblewrap(context);
  requireProgram(context, 'curl');
  requireProgram(context, 'openssl');
  const { port, certificate } = await serveHttps(['good.test', 'other.test']);
  const network = await openClosedNetwork({ allow: ['good.test'], servers: { 'good.test:443': port } });
  const fetch = (...args: string[]) =>
    runInside(network, network.wrap(['curl', '-sS', '--cacert', certificate, ...args]), {
      seen: [dirname(certificate)],
    });

  expect(await fetch('https://good.test/')).toMatchObject({ status: 0, stdout: 'for good.test', stderr: '' });
  const fronted = await fetch('--connect-to', 'other.test:443:good.test:443', 'https://other.test/');
  expect(fronted).toMatchObject({ status: 35, stdout: '' });
  await network.close();
  expect(network.refused()).toEqual(['good.test:443 server-name']);
});

/** A server that reports the requested host, with its own certificate. */
async function serveHttps(names: readonly string[]): Promise<{ port: number; certificate: string }> {
  const directory = tempDir();
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const subject = [
    '-subj',
    '/CN=test',
    '-addext',
    `subjectAltName=${names.map(name => `DNS:${name}`).join(',')}`,
  ];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const made = spawnSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate]);
  if (made.status !== 0) throw new Error(made.stderr.toString());
  const server = createHttpsServer({ key: readFileSync(key), cert: readFileSync(certificate) });
  server.on('request', (message, answer) => answer.end(`for ${message.headers.host}`));
  return { port: await serve(server), certificate };
}

test('git clones through it', async context => {
  requireBubblewrap(context);
  const repository = makeRepository({ 'a.txt': 'from afar\n' });
  git(repository, 'update-server-info');
  const port = await serveHttp((message, answer) => {
    const file = join(
      repository,
      '.git',
      new URL(message.url ?? '', 'http://x').pathname.replace(/^\/r\.git\//, ''),
    );
    const isThere = existsSync(file) && statSync(file).isFile();
    answer.writeHead(isThere ? 200 : 404).end(isThere ? readFileSync(file) : '');
  });
  const network = await openClosedNetwork({ allow: ['git.test'], servers: { 'git.test:80': port } });
  const clone =
    'git clone -q http://git.test/r.git /tmp/r && cat /tmp/r/a.txt && git ls-remote http://bad.test/r.git';
  const result = await runInside(network, network.wrap(['sh', '-c', clone]));
  expect(result).toMatchObject({
    status: 128,
    stdout: 'from afar\n',
    stderr: expect.stringContaining('403'),
  });
});

test('a program that opens its own tunnels works too', async context => {
  requireBubblewrap(context);
  const port = await serveHttp((_message, answer) => answer.end('hello'));
  const network = await openClosedNetwork({ allow: ['good.test:9000'], servers: { 'good.test:9000': port } });
  const program = `
    const { hostname, port } = new URL(process.env.HTTPS_PROXY);
    const http = require('node:http');
    http.request({ hostname, port, method: 'CONNECT', path: 'good.test:9000' }).on('connect', (answer, socket) => {
      socket.pipe(process.stdout);
      socket.end('GET / HTTP/1.0\\r\\n\\r\\n');
    }).end();`;
  const options = { seen: [dirname(realpathSync(process.execPath))] };
  const { stdout } = await runInside(network, network.wrap([process.execPath, '-e', program]), options);
  expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n.*hello$/s);
});

test('two concurrent commands have separate lists', async context => {
  requireBubblewrap(context);
  requireProgram(context, 'curl');
  const port = await serveHttp((_message, answer) => answer.end('hello'));
  const place = sandboxPlace(tempDir(), 'ws_test');
  const servers = { 'a.test:80': port, 'b.test:80': port };
  const a = await openClosedNetwork({ place, servers, id: 'op_a', allow: ['a.test'] });
  const b = await openClosedNetwork({ place, servers, id: 'op_b', allow: ['b.test'] });
  const fetch = [
    'sh',
    '-c',
    'for name in a b; do curl -sS -o /dev/null -w "%{http_code} " http://$name.test/; done',
  ];
  const results = await Promise.all([runInside(a, a.wrap(fetch)), runInside(b, b.wrap(fetch))]);
  expect(results.map(({ stdout }) => stdout)).toEqual(['200 403 ', '403 200 ']);
  await a.close();
  expect(readdirSync(place.proxyDir)).toEqual(['op_b.sock']);
});

test('works with a state directory whose path is too long for a socket', async context => {
  requireBubblewrap(context);
  requireProgram(context, 'curl');
  const port = await serveHttp((_message, answer) => answer.end('hello'));
  const stateDir = join(tempDir(), 'a'.repeat(100), 'b'.repeat(100));
  mkdirSync(stateDir, { recursive: true });
  const place = sandboxPlace(stateDir, 'ws_test');
  const network = await openClosedNetwork({ place, allow: ['good.test'], servers: { 'good.test:80': port } });
  expect(readdirSync(place.proxyDir)).toEqual(['op_test.sock']);
  const { stdout } = await runInside(network, network.wrap(['curl', '-sS', 'http://good.test/']));
  expect(stdout).toBe('hello');
  await network.close();
  expect(readdirSync(place.proxyDir)).toEqual([]);
});

test('an invalid entry opens nothing', async () => {
  const place = sandboxPlace(tempDir(), 'ws_test');
  const opening = openClosedNetwork({ place, allow: ['good.test', 'http://bad.test'] });
  await expect(opening).rejects.toMatchObject({ code: 'NETWORK_UNAVAILABLE' });
  expect(readdirSync(place.proxyDir)).toEqual([]);
});
