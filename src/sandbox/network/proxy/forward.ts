import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { formatTarget, parseAuthority, type Target } from '../rules/network-target.js';

/** A request for another server, as clients send it to a proxy: `GET http://host/path`. */
export interface ForwardTarget extends Target {
  readonly path: string;
  /** Of the protocol. */
  readonly usualPort: number;
}

const HTTP = 80;

/** Undefined without a host, with user names, another protocol, a fragment, or a body of unclear length. */
export function parseForward(message: IncomingMessage): ForwardTarget | undefined {
  const parts = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(message.url ?? '');
  const target = parseAuthority(parts?.[1] ?? '', HTTP);
  const coding = message.headers['transfer-encoding'];
  if (!target || (coding !== undefined && coding.toLowerCase() !== 'chunked')) return undefined;
  const path = parts?.[2] ?? '/';
  return { ...target, path: path.startsWith('/') ? path : `/${path}`, usualPort: HTTP };
}

export interface ForwardRequest {
  readonly message: IncomingMessage;
  readonly answer: ServerResponse;
  readonly target: ForwardTarget;
  /** Connected, and for this request alone. */
  readonly upstream: Socket;
  /** Called when the host disconnects before it responds. */
  readonly onDead: () => void;
  /** Changes headers and body on their way; nothing by default. */
  readonly change?: Change | undefined;
}

/** What is done to requests and answers. Headers are alternating names and values. */
export interface Change {
  readonly requestHeaders: (headers: readonly string[]) => string[];
  readonly answerHeaders: (headers: readonly string[], reply: IncomingMessage) => string[];
  /** What the body of the response is piped through. Undefined when it can't be read: then it is not passed on. */
  readonly answerBody: (reply: IncomingMessage) => Duplex[] | undefined;
}

const UNCHANGED: Change = {
  requestHeaders: headers => [...headers],
  answerHeaders: headers => [...headers],
  answerBody: () => [],
};

/** Forwards a request, and returns the response. */
export function forward({
  message,
  answer,
  target,
  upstream,
  onDead,
  change = UNCHANGED,
}: ForwardRequest): void {
  const { method } = message;
  const headers = change.requestHeaders([...headersOfRequest(message, target)]);
  // Without `agent`: with any, `false` included, Node 20 does not call this and goes to port 80 of this machine.
  const createConnection = () => upstream;
  const onward = request({ createConnection, method, path: target.path, headers });
  const giveUp = () => (answer.headersSent ? answer.destroy() : onDead());
  onward.on('response', reply => {
    if (!sendBack(reply, answer, change)) giveUp();
  });
  // No upgrade was requested, and without a listener Node would not report it.
  onward.on('upgrade', giveUp);
  onward.on('error', giveUp);
  answer.on('close', () => onward.destroy());
  // Not pipeline(), which would end the client's connection when the host's breaks, and the answer with it.
  message.pipe(onward);
}

/** False when the response can't be written as HTTP: Node 20 reads the status 000 but does not write it. */
function sendBack(reply: IncomingMessage, answer: ServerResponse, change: Change): boolean {
  const through = change.answerBody(reply);
  try {
    if (!through) throw new Error('a body that cannot be read');
    // Without the host's reason phrase: Node reads characters there that it does not write, and no client needs it.
    answer.writeHead(reply.statusCode ?? 502, change.answerHeaders([...withoutHopByHop(reply)], reply));
  } catch {
    reply.destroy();
    return false;
  }
  // A truncated body truncates the response, which the client sees; no other report is needed.
  pipeline([reply, ...through, answer], () => undefined);
  return true;
}

/** The checked Host instead of the client's, and exactly one header for the length of the body. */
function* headersOfRequest(message: IncomingMessage, target: ForwardTarget): Generator<string> {
  yield* ['Host', formatHost(target)];
  yield* ['Connection', 'close'];
  yield* withoutHopByHop(message);
  // Node would send the body of a GET or DELETE without its length, and the server would read it as a request.
  if (message.headers['transfer-encoding'] !== undefined) yield* ['Transfer-Encoding', 'chunked'];
  else if (message.headers['content-length'] === undefined && BODY_EXPECTED.includes(message.method ?? ''))
    yield* ['Content-Length', '0'];
}

/** Without the protocol's default port. */
const formatHost = ({ host, port, usualPort }: ForwardTarget): string =>
  port === usualPort ? formatTarget({ host, port }).replace(/:\d+$/, '') : formatTarget({ host, port });

const BODY_EXPECTED = ['POST', 'PUT', 'PATCH'];

/** Those are about the connection to us (RFC 9110, 7.6.1); `Expect` was answered by us. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'host', 'expect'],
];

function* withoutHopByHop({ headers, rawHeaders }: IncomingMessage): Generator<string> {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  // If listed there, these would let the client choose how its body is read.
  const dropped = new Set([...HOP_BY_HOP, ...named.map(name => name.trim())]);
  dropped.delete('content-length');
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!dropped.has(name.toLowerCase())) yield* [name, value];
  }
}
