import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The code of the problem, when it is one. */
  readonly code: string | undefined;
}

/** A request with exactly these headers and this path, which `fetch` would fix or refuse. */
export async function sendRequest(
  url: string,
  path: string,
  options: {
    readonly method?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly body?: string | undefined;
  } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const { method = 'GET', headers = {}, body } = options;
  const sent = request({ hostname, port, path, method, headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await response.setEncoding('utf8').toArray()).join('');
  const isProblem = response.headers['content-type'] === 'application/problem+json' && text !== '';
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: text,
    code: isProblem ? JSON.parse(text).code : undefined,
  };
}

/** A connection for bytes of any kind, destroyed when the test ends. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  // A server that drops a connection may do it with a reset.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes until the server ends the connection. */
export function readToEnd(socket: Socket): Promise<string> {
  return new Promise(resolve => {
    let text = '';
    socket.setEncoding('utf8').on('data', chunk => {
      text += chunk;
    });
    socket.once('close', () => resolve(text));
  });
}
