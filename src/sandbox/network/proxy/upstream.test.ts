import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { serveTcp } from '../../../../test/helpers/network/closed-network.js';
import { awaitConnection, connectDirectly } from './upstream.js';

/** No name server knows it (RFC 6761), so a second lookup would fail. */
const NAME = 'nobody.invalid';

test('a name is connected to at the given address without being looked up again', async () => {
  const port = await serveTcp(socket => socket.end('hello'));
  const socket = connectDirectly({ host: NAME, port }, ['127.0.0.1']);
  onTestFinished(() => void socket.destroy());
  expect(await awaitConnection(socket, 5_000)).toBe(true);
  expect(String(await once(socket, 'data'))).toBe('hello');
  expect(socket.remoteAddress).toBe('127.0.0.1');
});

test('when the first address does not answer the next one is tried', async () => {
  const port = await serveTcp(socket => socket.end('hello'));
  const socket = connectDirectly({ host: NAME, port }, ['127.0.0.2', '127.0.0.1']);
  onTestFinished(() => void socket.destroy());
  expect(await awaitConnection(socket, 5_000)).toBe(true);
  expect(socket.remoteAddress).toBe('127.0.0.1');
});

test('a failed connection is released', async () => {
  const port = await serveTcp(() => undefined);
  const refused = connectDirectly({ host: NAME, port }, ['127.0.0.2']);
  refused.on('error', () => undefined);
  expect(await awaitConnection(refused, 5_000)).toBe(false);
  expect(refused.destroyed).toBe(true);
});
