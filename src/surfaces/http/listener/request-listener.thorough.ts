import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { OpenAPIHono } from '@hono/zod-openapi';
import { expect, onTestFinished, test } from 'vitest';
import type { Api } from '../api.js';
import { sendEvents } from '../events/server-sent-events.js';
import { createOccupancy } from '../security/occupancy.js';
import { createRequestListener } from './request-listener.js';

test('a stream does not keep sent events in memory', async () => {
  const promises: number[] = [];
  async function* produce() {
    for (let number = 1; number <= 2_000; number++) {
      await nextTurn();
      yield { id: number, data: {} };
      if (number % 1_000 === 0) promises.push(queryObjects(Promise, { format: 'count' }));
    }
  }
  const api: Api = new OpenAPIHono();
  api.get('/', () => sendEvents({ stopping: new AbortController().signal }, produce));
  const address = await listen(api);
  expect(await (await fetch(address)).text()).toContain('id: 2000\n');
  const [before = 0, after = 0] = promises;
  expect(after - before).toBeLessThan(200);
});

async function listen(api: Api): Promise<string> {
  const server = createServer(createRequestListener(api, { answers: createOccupancy() })).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
