import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as forward, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sendRequest } from '../../../../test/helpers/server/send-request.js';
import { startTestServer, type TestServer } from '../../../../test/helpers/server/test-server.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { requireProgram } from '../../../../test/parts/required-part.js';

const NAME = 'carrel.example';

interface TlsProxy {
  send(
    path: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }>;
}

/** A reverse proxy on loopback that ends TLS and adds what it knows to the header of the client, as nginx and Caddy do. */
async function startTlsProxy({ url }: Pick<TestServer, 'url'>): Promise<TlsProxy> {
  const { key, certificate } = makeCertificate();
  const proxy = createServer({ key, cert: certificate }, (incoming, answer) => {
    const claimed = incoming.headers['x-forwarded-proto'];
    const headers = { ...incoming.headers, 'x-forwarded-proto': claimed ? `${claimed}, https` : 'https' };
    const { hostname, port } = new URL(url);
    const { method, url: path } = incoming;
    const onward = forward({ hostname, port, path, method, headers, agent: false }, response => {
      answer.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  return {
    send: async (path, headers = {}) => {
      const place = { host: '127.0.0.1', port, path, servername: NAME, ca: certificate, agent: false };
      const sent = request({ ...place, headers: { host: NAME, ...headers } });
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await response.resume().toArray();
      return { status: response.statusCode ?? 0, headers: response.headers };
    },
  };
}

function makeCertificate(): { readonly key: string; readonly certificate: string } {
  const directory = tempDir();
  const [keyFile, file] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  const made = spawnSync('openssl', ['req', ...kind, ...subject, '-keyout', keyFile, '-out', file]);
  expect(made.status, String(made.stderr)).toBe(0);
  return { key: readFileSync(keyFile, 'utf8'), certificate: readFileSync(file, 'utf8') };
}

const linkOf = ({ server }: TestServer): string => {
  const { pathname, search } = new URL(server.createLoginLink());
  return pathname + search;
};

test('behind a TLS proxy the cookie is secure, even if a client claims otherwise, and the session works', async context => {
  requireProgram(context, 'openssl');
  const server = await startTestServer({ settings: { hostNames: [NAME] } });
  const { send } = await startTlsProxy(server);
  for (const claim of [{}, { 'x-forwarded-proto': 'http' }]) {
    const login = await send(linkOf(server), claim);
    const [cookie = '', ...attributes] = login.headers['set-cookie']?.[0]?.split('; ') ?? [];
    expect(attributes.sort()).toEqual([
      ...['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Strict', 'Secure'],
    ]);
    const key = /^\/#key=([\w-]+)$/.exec(login.headers.location ?? '')?.[1] ?? '';
    const session = { cookie, 'x-carrel-session': key };
    expect(await send('/metrics', { ...session, origin: `https://${NAME}` })).toMatchObject({ status: 200 });
    expect(await send('/metrics', { ...session, origin: 'https://x.example' })).toMatchObject({
      status: 403,
    });
    expect(await send('/metrics', { cookie })).toMatchObject({ status: 401 });
  }
});

test('a client that claims TLS gets nothing by it but a cookie that its own plain connection can’t use', async () => {
  const server = await startTestServer();
  const claim = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    forwarded: 'proto=https',
  };
  const login = await sendRequest(server.url, linkOf(server), { headers: claim });
  expect(login.headers['set-cookie']?.[0]).toContain('; Secure');
  // Relative: no header decides where a browser is sent.
  expect(login.headers.location).toMatch(/^\/#key=/);
  const used = await sendRequest(server.url, linkOf(server), { headers: { ...claim, host: 'evil.example' } });
  expect(used).toMatchObject({ status: 403, code: 'REQUEST_REFUSED' });
  expect(await sendRequest(server.url, '/metrics', { headers: claim })).toMatchObject({ status: 401 });
});

test('without TLS the cookie is not secure, or the browser would never send it back', async () => {
  const server = await startTestServer();
  for (const headers of [{}, { 'x-forwarded-proto': 'http' }, { 'x-forwarded-proto': 'xhttps' }]) {
    const login = await sendRequest(server.url, linkOf(server), {
      headers: headers as Record<string, string>,
    });
    expect(login.headers['set-cookie']?.[0]).not.toContain('Secure');
  }
});
