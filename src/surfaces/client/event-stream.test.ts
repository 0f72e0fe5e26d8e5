import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readEventStream } from './event-stream.js';
import { createHttp } from './http.js';

/** Answers the requests in the order of the test; returns the last ids that they sent. */
async function answerInTurn(...answers: ((response: ServerResponse, request: IncomingMessage) => void)[]) {
  const named: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    named.push(request.headers['last-event-id'] as string | undefined);
    answers.shift()?.(response, request);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { named, http: createHttp({ baseUrl: `http://127.0.0.1:${port}` }) };
}

const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

const refuse = (status: number) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/problem+json' }).end(
    JSON.stringify({
      status,
      code: 'X',
      detail: 'no',
      title: '',
      type: '',
      kind: '',
      hint: '',
      details: {},
    }),
  );

test('a stream continues where it broke, also in the middle of a message and across a restart of the server', async () => {
  const { http, named } = await answerInTurn(
    response => {
      stream(response).write(': hello\n\nid: 1\nevent: a\ndata: {"x":"\u00fc"}\n\nid: 2\nevent: b\nda');
      setImmediate(() => response.destroy());
    },
    refuse(503),
    response => void stream(response).end('id: 2\nevent: b\ndata: 2\n\n'),
    response => void stream(response).end('id: 3\nevent: c\ndata: 3\n\nevent: end\ndata:\n\n'),
  );
  const seen = [];
  for await (const { id, event, data } of readEventStream(http, '/events', {})) seen.push([id, event, data]);
  expect(seen).toEqual([
    ['1', 'a', '{"x":"\u00fc"}'],
    ['2', 'b', '2'],
    ['3', 'c', '3'],
  ]);
  expect(named).toEqual([undefined, '1', '1', '2']);
});

test('a problem stops a stream with an error, and the signal stops it without one', async () => {
  const { http } = await answerInTurn(
    refuse(404),
    response => void stream(response).write('id: 1\ndata: 1\n\n'),
  );
  await expect(readEventStream(http, '/events', {}).next()).rejects.toMatchObject({ code: 'X', status: 404 });
  const controller = new AbortController();
  const messages = readEventStream(http, '/events', { signal: controller.signal });
  expect((await messages.next()).value).toMatchObject({ id: '1' });
  controller.abort();
  expect(await messages.next()).toEqual({ done: true, value: undefined });
});
