import type { Problem } from '../../domain/error/problem.js';
import { ProblemError, UnreachableError } from './problem-error.js';

export interface ClientOptions {
  /** The address of the server, such as http://127.0.0.1:7717; in a browser, that of the page by default. */
  readonly baseUrl?: string | undefined;
  /** Omitted in a browser, which uses a cookie. */
  readonly token?: string | undefined;
  /** The global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE' | undefined;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One request and its answer. */
export interface Http {
  json<T>(path: string, call?: Call): Promise<T>;
  text(path: string, call?: Call): Promise<string>;
  /** The raw answer; a failure is a ProblemError. */
  open(path: string, call?: Call): Promise<Response>;
}

export function createHttp({ baseUrl = '', token, fetch = globalThis.fetch }: ClientOptions): Http {
  const open = async (path: string, call: Call = {}): Promise<Response> => {
    const response = await send(fetch, addressOf(baseUrl, path, call), requestOf(call, token));
    if (response.ok) return response;
    throw await readProblem(response);
  };
  return {
    open,
    json: async <T>(path: string, call?: Call) => {
      const response = await open(path, call);
      return readBody(response, call, response.json() as Promise<T>);
    },
    text: async (path, call) => {
      const response = await open(path, call);
      return readBody(response, call, response.text());
    },
  };
}

function addressOf(baseUrl: string, path: string, { query = {} }: Call): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return baseUrl.replace(/\/+$/, '') + path + (search.size === 0 ? '' : `?${search}`);
}

function requestOf({ method = 'GET', body, headers, signal }: Call, token: string | undefined): RequestInit {
  return {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    // The token is for this server only.
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
}

async function send(
  fetch: typeof globalThis.fetch,
  address: string,
  request: RequestInit,
): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new UnreachableError(`no answer from ${address}`, { cause: error });
  }
}

/** A success with an unexpected or incomplete body. */
async function readBody<T>(response: Response, call: Call | undefined, body: Promise<T>): Promise<T> {
  try {
    return await body;
  } catch (error) {
    if (call?.signal?.aborted) throw error;
    if (error instanceof SyntaxError)
      throw new UnreachableError(`the answer of ${response.url} is not from a Carrel server: it is not JSON`);
    throw new UnreachableError(`the answer of ${response.url} is incomplete`, { cause: error });
  }
}

async function readProblem(response: Response): Promise<Error> {
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/problem+json'))
    return new UnreachableError(
      `the answer of ${response.url} is not from a Carrel server: status ${response.status}`,
    );
  return new ProblemError((await response.json()) as Problem);
}
