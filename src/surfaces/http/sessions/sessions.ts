import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EndedSessions } from './ended-sessions.js';

export interface Sessions {
  /** The name contains the port: cookies ignore ports, and another server on this machine has its own. */
  readonly cookieName: string;
  readonly maxAgeSeconds: number;
  create(): NewSession;
  /** The id of the session, or undefined if the cookie is invalid, expired, or signed out. */
  find(cookie: string): string | undefined;
  /** Whether the key belongs to the cookie. */
  isKey(cookie: string, key: string): boolean;
  /** Invalidates the cookie, even after a restart, and closes its open streams. */
  end(cookie: string): void;
  /** Calls back when the session ends. Returns a function that unsubscribes. */
  whenEnded(id: string, callback: () => void): () => void;
}

export interface NewSession {
  readonly cookie: string;
  /** Only for the page, which sends it in a header. */
  readonly key: string;
}

/** The header with the key of the session. */
export const SESSION_KEY_HEADER = 'x-carrel-session';

const DAYS = 30;

/**
 * Sessions of browsers. The cookie is `EXPIRES.ID.SIGNATURE`, signed with a key derived from the token: it outlives the
 * server, and a new token invalidates all sessions. But a browser sends cookies to every port of a host name, and so to any
 * other server there. Each session therefore also has a key, which the page stores where only its own origin, with the
 * port, can read it. Neither works without the other.
 */
export function createSessions(options: {
  readonly token: string;
  readonly port: number;
  readonly now: () => number;
  readonly ended: EndedSessions;
}): Sessions {
  const { token, now, ended } = options;
  const signer = (purpose: string) => {
    const secret = createHmac('sha256', token).update(purpose).digest();
    return (content: string) => createHmac('sha256', secret).update(content).digest('base64url');
  };
  const sign = signer('carrel browser session');
  const keyOf = signer('carrel key of a browser session');
  const maxAgeSeconds = DAYS * 24 * 60 * 60;
  const waiting = new Map<string, Set<() => void>>();
  return {
    cookieName: `carrel_session_${options.port}`,
    maxAgeSeconds,
    create() {
      const content = `${now() + maxAgeSeconds * 1000}.${randomBytes(16).toString('base64url')}`;
      const cookie = `${content}.${sign(content)}`;
      return { cookie, key: keyOf(cookie) };
    },
    find(cookie) {
      const { content, expiresAt, id, signature } = readCookie(cookie);
      const isGood = isEqual(signature, sign(content)) && expiresAt > now() && !ended.has(id);
      return isGood ? id : undefined;
    },
    isKey: (cookie, key) => isEqual(key, keyOf(cookie)),
    end(cookie) {
      const { id, expiresAt } = readCookie(cookie);
      ended.add(id, expiresAt);
      for (const callback of waiting.get(id) ?? []) callback();
    },
    whenEnded(id, callback) {
      const callbacks = waiting.get(id) ?? new Set();
      waiting.set(id, callbacks.add(callback));
      return () => {
        callbacks.delete(callback);
        if (callbacks.size === 0 && waiting.get(id) === callbacks) waiting.delete(id);
      };
    },
  };
}

function readCookie(cookie: string) {
  const at = cookie.lastIndexOf('.');
  const content = cookie.slice(0, Math.max(at, 0));
  const [expires = '', id = ''] = content.split('.');
  return { content, signature: cookie.slice(at + 1), expiresAt: Number(expires), id };
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
