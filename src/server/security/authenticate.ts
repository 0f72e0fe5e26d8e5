import { getCookie } from 'hono/cookie';
import { carrelError } from '../../domain/error.js';
import type { ApiContext } from '../api.js';
import type { Gate } from '../gate.js';
import { requireOrigin } from './origin-check.js';
import { addressOf } from './remote-address.js';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Who sent this: a program with the token, or a browser with a session. Refuses everybody else. */
export function authenticate(c: ApiContext, gate: Gate): 'token' | 'browser' {
  const authorization = c.req.header('authorization');
  if (authorization !== undefined) return requireToken(c, gate, authorization);
  const cookie = getCookie(c, gate.sessions.cookieName);
  if (cookie === undefined) throw failedLogin(c, gate, 'it has no token');
  if (!gate.sessions.isValid(cookie)) throw failedLogin(c, gate, 'its session has ended');
  if (!SAFE_METHODS.includes(c.req.method)) requireOrigin(c.env.incoming.headers);
  return 'browser';
}

function requireToken(c: ApiContext, gate: Gate, authorization: string): 'token' {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (given === undefined || !gate.isToken(given))
    throw failedLogin(c, gate, 'its token is not that of this server');
  return 'token';
}

/**
 * Counted for each address. A right token is taken also from an address that had too many wrong ones: another process on
 * this machine must not be able to shut its user out.
 */
export function failedLogin(c: ApiContext, gate: Gate, reason: string) {
  const retryAfterSeconds = gate.failedLogins.take(addressOf(c));
  if (retryAfterSeconds > 0) return carrelError('TOO_MANY_REQUESTS', { retryAfterSeconds });
  return carrelError('UNAUTHENTICATED', { reason });
}
