import { sendRequest } from './send-request.js';
import type { TestServer } from './test-server.js';

/** What a browser has after it has opened a login link. */
export interface BrowserSession {
  readonly cookie: string;
  readonly key: string;
  /** Of the cookie, sorted. */
  readonly attributes: readonly string[];
  /** All that a page of the server sends. */
  readonly headers: Readonly<Record<string, string>>;
}

export async function signIn(
  { url, server }: Pick<TestServer, 'url' | 'server'>,
  headers: Record<string, string> = {},
): Promise<BrowserSession> {
  const { pathname, search } = new URL(server.createLoginLink());
  const login = await sendRequest(url, pathname + search, { headers });
  const [cookie = '', ...attributes] = login.headers['set-cookie']?.[0]?.split('; ') ?? [];
  const key = /^\/#key=([\w-]+)$/.exec(login.headers.location ?? '')?.[1] ?? '';
  return {
    cookie,
    key,
    attributes: attributes.sort(),
    headers: { cookie, 'x-carrel-session': key, origin: url },
  };
}
