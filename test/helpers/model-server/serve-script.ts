import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Authority } from '../../../src/sandbox/keys/authority.js';
import { anthropicMessages } from './anthropic-messages.js';
import { jsonReply, type ModelApi, type ModelReply, type ModelRequest } from './api.js';
import { chatCompletions } from './chat-completions.js';
import { gemini } from './gemini.js';
import { openaiResponses } from './openai-responses.js';
import { DEFAULT_USAGE, type StatusTurn, type Turn } from './script.js';

export interface ModelServer {
  /** Without a slash at the end; what comes after it is the format's own path, such as /v1/messages. */
  readonly url: string;
  readonly port: number;
  /** What was asked so far, turns and asides alike. */
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

const APIS: readonly ModelApi[] = [anthropicMessages, openaiResponses, chatCompletions, gemini];

/**
 * Every request that is a turn of the conversation takes the next entry of the script; the last entry is repeated, so
 * that a program that asks again after an error gets the same error. With TLS when an authority vouches for it.
 */
export async function serveScript(script: readonly Turn[], vouching?: Authority): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let turns = 0;
  const nextTurn = () => script[Math.min(turns++, script.length - 1)];
  const listener: RequestListener = async (incoming, response) => {
    const request = await readRequest(incoming);
    requests.push(request);
    const answer = answerRequest(request, nextTurn);
    if (answer === 'none') return;
    response.writeHead(answer.status, { 'content-type': answer.contentType, ...answer.headers });
    response.end(answer.text);
  };
  const context = vouching?.contextFor('localhost');
  const server = context
    ? createSecureServer({ SNICallback: (_name, done) => done(null, context) }, listener)
    : createServer(listener);
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>(done => {
      server.close(() => done());
      server.closeAllConnections();
    });
  const url = vouching ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  return { url, port, requests, close };
}

async function readRequest(incoming: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
  const body = parseBody(Buffer.concat(chunks).toString('utf8'));
  return { method: incoming.method ?? 'GET', path: pathname, headers: incoming.headers, body };
}

function parseBody(text: string): ModelRequest['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

interface Answer extends ModelReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

function answerRequest(request: ModelRequest, nextTurn: () => Turn | undefined): Answer | 'none' {
  const api = APIS.find(candidate => candidate.matches(request));
  if (!api) return refuse({ status: 404 }, { error: 'not served here' });
  const aside = api.answerAside(request);
  if (aside) return { status: 200, headers: {}, ...aside };
  const turn = nextTurn();
  if (!turn || 'hang' in turn) return 'none';
  if ('status' in turn) return refuse(turn, api.describeError(turn.status));
  return { status: 200, headers: {}, ...api.answer(turn, turn.usage ?? DEFAULT_USAGE, request) };
}

function refuse({ status, retryAfter }: StatusTurn, body: unknown): Answer {
  const headers: Record<string, string> = {};
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  return { status, headers, ...jsonReply(body) };
}
