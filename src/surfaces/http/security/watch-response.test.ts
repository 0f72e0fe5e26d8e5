import { expect, onTestFinished, test, vi } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { openSocket } from '../../../../test/helpers/server/send-request.js';
import { startTestServer, type TestServer } from '../../../../test/helpers/server/test-server.js';
import { openApp } from '../../../app.js';
import { sampleEvent } from '../../../store/contract/sample-records.js';

/** Appends events of 100 kB each, far more than a socket buffers. */
async function makeNews({ environment }: TestServer): Promise<void> {
  const app = await openApp({ environment, cwd: '/', recovers: false });
  onTestFinished(() => app.close());
  const event = { ...sampleEvent('trust.granted'), data: { text: 'x'.repeat(100_000) } };
  for (let count = 0; count < 40; count++) await app.store.events.append(Array(10).fill(event));
}

const readGauge = async ({ fetch }: TestServer, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await fetch('/metrics')).text())?.[1]);

const countStreams = (server: TestServer) => readGauge(server, 'carrel_streams');

/** Requests all events and never reads the answer. */
async function openDeaf({ url, token }: TestServer) {
  const socket = await openSocket(url);
  socket.pause();
  socket.write(
    `GET /api/events?after=0 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  return socket;
}

thoroughTest('unread streams are cut off, use little memory, and do not block other clients', async () => {
  const server = await startTestServer({ limits: { stalledMs: 1_000 } });
  await Promise.all(Array.from({ length: 20 }, () => openDeaf(server)));
  await vi.waitUntil(async () => (await countStreams(server)) === 20, { timeout: 20_000 });
  await makeNews(server);
  const before = process.memoryUsage().arrayBuffers;
  let seen = 0;
  for await (const _event of server.client.events({ after: 0 })) if (++seen === 400) break;
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 * 1024 ** 2);
  await vi.waitUntil(async () => (await countStreams(server)) === 0, { timeout: 20_000 });
});

test('the number of streams is limited, and closing one makes room', async () => {
  const server = await startTestServer({ limits: { streams: 2 } });
  const open = (signal?: AbortSignal) => server.fetch('/api/events', signal ? { signal } : {});
  const leaving = new AbortController();
  await open(leaving.signal);
  const second = await open();
  const third = await open();
  expect((await server.fetch('/api/events', { method: 'HEAD' })).status).toBe(200);
  expect(third.status).toBe(503);
  expect(third.headers.get('retry-after')).toBe('5');
  expect(await third.json()).toMatchObject({ code: 'TOO_MANY_STREAMS', details: { limit: 2 } });
  leaving.abort();
  await vi.waitUntil(async () => (await open()).status === 200, { timeout: 20_000 });
  await second.body?.cancel();
  // Refused requests and HEAD requests leave no listeners.
  await vi.waitUntil(
    async () => (await readGauge(server, 'carrel_event_listeners')) === (await countStreams(server)),
  );
});
