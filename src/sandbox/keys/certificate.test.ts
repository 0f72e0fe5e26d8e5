import { X509Certificate } from 'node:crypto';
import { connect, createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthority } from './authority.js';

test.each([
  'api.example.com',
  '127.0.0.1',
  '::1',
  '2001:db8::7',
  `${'a'.repeat(60)}.${'b'.repeat(60)}.example`,
])('a client that trusts the authority accepts the server as %s, and as no other', async host => {
  const authority = createAuthority(Date.now());
  const certificate = new X509Certificate(authority.certificate);
  expect(certificate.ca).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  const server = createServer({ SNICallback: (_name, done) => done(null, authority.contextFor(host)) });
  server.on('secureConnection', socket => socket.end('hello'));
  server.on('tlsClientError', () => undefined);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise(resolve => server.close(() => resolve())));
  const { port } = server.address() as { port: number };
  const attempt = (wanted: string) =>
    new Promise<string>(resolve => {
      const socket = connect({
        port,
        host: '127.0.0.1',
        servername: 'sni.example',
        ca: authority.certificate,
        checkServerIdentity: (_n, peer) => {
          const found = new X509Certificate(peer.raw);
          const ok =
            wanted.includes(':') || /^[\d.]+$/.test(wanted) ? found.checkIP(wanted) : found.checkHost(wanted);
          return ok ? undefined : new Error('another host');
        },
      });
      socket.on('secureConnect', () => resolve('taken'));
      socket.on('error', error => resolve(error.message));
      socket.on('secureConnect', () => socket.destroy());
    });
  expect(await attempt(host)).toBe('taken');
  expect(await attempt('other.example')).toBe('another host');
});
