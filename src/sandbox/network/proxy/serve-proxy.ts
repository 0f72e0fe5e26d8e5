import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { showable } from '../rules/network-refusal.js';
import { parseAuthority } from '../rules/network-target.js';
import { forward, parseForward } from './forward.js';
import { dead, reach, refused, type Service, type Unreached } from './reach-target.js';
import { openTunnel } from './tunnel.js';

/** `CONNECT host:port` */
export async function serveTunnel(
  service: Service,
  message: IncomingMessage,
  client: Socket,
  head: Buffer,
): Promise<void> {
  const target = parseAuthority(message.url ?? '');
  if (!target) return answerConnect(client, refuseMalformed(service, message));
  const reached = await reach(service, target);
  if (reached.kind === 'unreached') return answerConnect(client, reached);
  const { upstream } = reached;
  if (client.destroyed) return void upstream.destroy();
  if (service.keyGate?.isFor(target))
    return service.keyGate.open(service, { client, head, upstream, target });
  const onRefused = () => void service.refuse(target.host, target.port, 'server-name');
  openTunnel({ client, head, upstream, target, onRefused });
}

/** `GET http://host/`, and every other method. */
export async function serveForward(
  service: Service,
  message: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const target = parseForward(message);
  if (!target) return answerRequest(message, answer, refuseMalformed(service, message));
  const reached = await reach(service, target);
  if (reached.kind === 'unreached') return answerRequest(message, answer, reached);
  const { upstream } = reached;
  if (answer.destroyed) return void upstream.destroy();
  forward({ message, answer, target, upstream, onDead: () => answerRequest(message, answer, dead(target)) });
}

const refuseMalformed = (service: Service, { url = '' }: IncomingMessage): Unreached =>
  refused(service.refuse(showable(url), null, 'malformed'));

/** Milliseconds for a client to read its last response. */
const LAST_WORDS_MS = 1_000;

function answerConnect(client: Socket, { status, reason }: Unreached): void {
  const body = formatBody(reason);
  const header = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  client.setTimeout(LAST_WORDS_MS);
  client.end(`${header.join('\r\n')}\r\n\r\n${body}`);
  // Unread input must be drained: otherwise closing the socket would discard the response.
  client.resume();
}

export function answerRequest(
  message: IncomingMessage,
  answer: ServerResponse,
  { status, reason }: Pick<Unreached, 'reason'> & { readonly status: number },
): void {
  message.socket.setTimeout(LAST_WORDS_MS);
  answer.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  answer.end(formatBody(reason));
  message.resume();
}

const formatBody = (reason: string): string => `carrel: ${reason}\n`;
