import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { formatTarget, parseAuthority, type Target } from './target.js';

/** A request for another server, as clients send it to a proxy: `GET http://host/path`. */
export interface ForwardTarget extends Target {
  readonly path: string;
}

/** Undefined for what has no host, user names, another protocol, a fragment, or a body whose end can't be told. */
export function parseForward(message: IncomingMessage): ForwardTarget | undefined {
  const parts = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(message.url ?? '');
  const target = parseAuthority(parts?.[1] ?? '', 80);
  const coding = message.headers['transfer-encoding'];
  if (!target || (coding !== undefined && coding.toLowerCase() !== 'chunked')) return undefined;
  const path = parts?.[2] ?? '/';
  return { ...target, path: path.startsWith('/') ? path : `/${path}` };
}

export interface ForwardRequest {
  readonly message: IncomingMessage;
  readonly answer: ServerResponse;
  readonly target: ForwardTarget;
  /** Connected, and for this request alone. */
  readonly upstream: Socket;
  /** Called when the host breaks off before it has answered. */
  readonly onDead: () => void;
}

/** Sends a request on, and the answer back. */
export function forward({ message, answer, target, upstream, onDead }: ForwardRequest): void {
  const { method } = message;
  const headers = [...headersOfRequest(message, target)];
  // Without `agent`: with any, `false` included, Node 20 does not call this and goes to port 80 of this machine.
  const createConnection = () => upstream;
  const onward = request({ createConnection, method, path: target.path, headers });
  const giveUp = () => (answer.headersSent ? answer.destroy() : onDead());
  onward.on('response', reply => {
    if (!sendBack(reply, answer)) giveUp();
  });
  // Nobody asked for another protocol, and without a listener Node would tell nobody.
  onward.on('upgrade', giveUp);
  onward.on('error', giveUp);
  answer.on('close', () => onward.destroy());
  // Not pipeline(), which would end the client's connection when the host's breaks, and the answer with it.
  message.pipe(onward);
}

/** False when the reply can't be said in HTTP: Node 20 reads the status 000, and does not write it. */
function sendBack(reply: IncomingMessage, answer: ServerResponse): boolean {
  try {
    // Not with the host's own words for the status, in which Node reads what it does not write; nobody needs them.
    answer.writeHead(reply.statusCode ?? 502, [...withoutHopByHop(reply)]);
  } catch {
    reply.destroy();
    return false;
  }
  // A body that breaks off breaks the answer off, which the client sees; nobody else has to know.
  pipeline(reply, answer, () => undefined);
  return true;
}

/** The Host that was checked, whatever the client wrote there; and exactly one way to tell where the body ends. */
function* headersOfRequest(message: IncomingMessage, target: ForwardTarget): Generator<string> {
  yield* ['Host', target.port === 80 ? formatTarget(target).replace(/:80$/, '') : formatTarget(target)];
  yield* ['Connection', 'close'];
  yield* withoutHopByHop(message);
  // Node would send the body of a GET or DELETE without telling its length, and the server would take it for a request.
  if (message.headers['transfer-encoding'] !== undefined) yield* ['Transfer-Encoding', 'chunked'];
  else if (message.headers['content-length'] === undefined && BODY_EXPECTED.includes(message.method ?? ''))
    yield* ['Content-Length', '0'];
}

const BODY_EXPECTED = ['POST', 'PUT', 'PATCH'];

/** Those are about the connection to us (RFC 9110, 7.6.1); `Expect` was answered by us. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'host', 'expect'],
];

function* withoutHopByHop({ headers, rawHeaders }: IncomingMessage): Generator<string> {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  // Named there too, these would let the client choose how its body is read.
  const dropped = new Set([...HOP_BY_HOP, ...named.map(name => name.trim())]);
  dropped.delete('content-length');
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!dropped.has(name.toLowerCase())) yield* [name, value];
  }
}
