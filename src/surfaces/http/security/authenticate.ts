import { getCookie } from 'hono/cookie';
import { carrelError } from '../../../domain/error/error.js';
import type { ApiContext } from '../api.js';
import { SESSION_KEY_HEADER } from '../sessions/sessions.js';
import { requireOrigin } from './origin-check.js';
import { addressOf } from './remote-address.js';
import type { Gate } from './request-gate.js';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** The sender: a program with the token, or a browser with a session. Refuses all others. */
export function authenticate(c: ApiContext, gate: Gate): 'token' | 'browser' {
  const authorization = c.req.header('authorization');
  if (authorization !== undefined) return requireToken(c, gate, authorization);
  const cookie = getCookie(c, gate.sessions.cookieName);
  if (cookie === undefined) throw failedLogin(c, gate, 'there is no token');
  const session = gate.sessions.find(cookie);
  if (session === undefined) throw failedLogin(c, gate, 'the session has ended');
  if (!hasKey(c, gate, cookie, session)) throw failedLogin(c, gate, 'the key of the session is missing');
  c.set('session', session);
  if (!SAFE_METHODS.includes(c.req.method)) requireOrigin(c.env.incoming.headers);
  return 'browser';
}

/** Any program that listens on another port of this machine may have received the cookie. */
function hasKey(c: ApiContext, { sessions, pageTickets }: Gate, cookie: string, session: string): boolean {
  const key = c.req.header(SESSION_KEY_HEADER);
  if (key !== undefined) return sessions.isKey(cookie, key);
  const ticket = c.req.query('ticket');
  return ticket !== undefined && c.req.method === 'GET' && pageTickets.redeem(ticket, session, c.req.path);
}

function requireToken(c: ApiContext, gate: Gate, authorization: string): 'token' {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (given === undefined || !gate.isToken(given)) throw failedLogin(c, gate, 'the token is wrong');
  return 'token';
}

/**
 * Counted per address. A correct token is accepted even from an address with too many wrong ones: another process on this
 * machine must not be able to lock the user out.
 */
export function failedLogin(c: ApiContext, gate: Gate, reason: string) {
  const retryAfterSeconds = gate.failedLogins.take(addressOf(c));
  if (retryAfterSeconds > 0) return carrelError('TOO_MANY_REQUESTS', { retryAfterSeconds });
  return carrelError('UNAUTHENTICATED', { reason });
}
