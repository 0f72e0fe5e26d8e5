import { type IncomingMessage, request as startHttp } from 'node:http';
import { request as startHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CarrelError, carrelError } from '../../domain/error/error.js';
import { TemporaryFailure } from './patience.js';

export interface HttpCall {
  readonly method: 'GET' | 'HEAD' | 'PUT';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** With a `content-length` among the headers: a store must not get half of it as the whole. */
  readonly body?: Readable | undefined;
  readonly signal: AbortSignal;
  /** A connection on which nothing moves for this long is broken. */
  readonly idleMs: number;
}

/**
 * One request to an artifact store. Redirects are not followed: they would carry the token elsewhere. No connection, a
 * broken one, and the statuses by which a server asks for another try are temporary.
 */
export async function callHttp(call: HttpCall): Promise<IncomingMessage> {
  const answer = await send(call);
  const { statusCode = 0 } = answer;
  if (!RETRIED.includes(statusCode)) return answer;
  throw new TemporaryFailure(`status ${statusCode}, ${(await readProblem(answer)) || 'no reason given'}`);
}

/** Busy, overloaded, or a proxy without its server. 507 is a full store: another try does not help. */
const RETRIED = [408, 425, 429, 500, 502, 503, 504];

function send({ method, url, headers, body, signal, idleMs }: HttpCall): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const start = url.startsWith('https:') ? startHttps : startHttp;
    const request = start(url, { method, headers, signal });
    const fail = (error: Error) => {
      body?.destroy();
      reject(new TemporaryFailure(error.message || (error as NodeJS.ErrnoException).code || 'no answer'));
    };
    request.setTimeout(idleMs, () => request.destroy(new Error(`nothing was sent for ${idleMs} ms`)));
    request.on('error', fail);
    request.on('response', resolve);
    // An early answer, such as a refusal, ends the request: the rest of the body is of no use.
    if (body) pipeline(body, request).catch(fail);
    else request.end();
  });
}

/** The body of a download. BLOB_MISSING, BLOB_STORE_REFUSED. */
export async function takeBody(
  answer: IncomingMessage,
  { hash, where, from }: { readonly hash: string; readonly where: string; readonly from: number },
): Promise<Readable> {
  if (answer.statusCode === (from > 0 ? 206 : 200)) return answer;
  if (answer.statusCode === 404 || answer.statusCode === 416) answer.resume();
  if (answer.statusCode === 404) throw carrelError('BLOB_MISSING', { hash, where });
  // All of it was there before the connection broke.
  if (answer.statusCode === 416) return Readable.from([]);
  throw await refusal(where, answer);
}

export const rangeFrom = (from: number): Record<string, string> =>
  from > 0 ? { range: `bytes=${from}-` } : {};

/** BLOB_STORE_REFUSED, with the reason that the store gives. */
export async function refusal(where: string, answer: IncomingMessage): Promise<CarrelError> {
  const { statusCode: status = 0 } = answer;
  return carrelError('BLOB_STORE_REFUSED', { where, status, problem: await readProblem(answer) });
}

async function readProblem(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) {
    text += chunk;
    if (text.length > MOST_CHARACTERS) break;
  }
  const [, detail] = /"detail":"((?:[^"\\]|\\.)*)"/.exec(text) ?? /<Message>([^<]*)</.exec(text) ?? [];
  return (detail ?? text).slice(0, MOST_CHARACTERS).trim();
}

const MOST_CHARACTERS = 400;
