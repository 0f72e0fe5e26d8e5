import { createRoute, z } from '@hono/zod-openapi';
import { deleteCookie, setCookie } from 'hono/cookie';
import { carrelError } from '../../domain/error.js';
import type { Api, ApiContext } from '../api.js';
import type { Gate } from '../gate.js';
import { jsonAnswer } from '../route-answers.js';
import { failedLogin } from '../security/authenticate.js';

const LoginLinkSchema = z.object({
  url: z.string().describe('for a browser; works once, for ten minutes'),
});

const linkRoute = createRoute({
  method: 'post',
  path: '/api/login-links',
  operationId: 'createLoginLink',
  tags: ['server'],
  summary: 'Make a link that lets a browser in; takes the token, not a session',
  responses: { 201: jsonAnswer(LoginLinkSchema, 'the link') },
});

const endRoute = createRoute({
  method: 'delete',
  path: '/api/session',
  operationId: 'endSession',
  tags: ['server'],
  summary: 'Forget the session of this browser',
  responses: { 204: { description: 'it is forgotten' } },
});

const COOKIE = { path: '/', httpOnly: true, sameSite: 'Strict' } as const;

export function addSessionRoutes(api: Api, gate: Gate): void {
  const { cookieName } = gate.sessions;
  api.openapi(linkRoute, c => {
    // A session could make itself last for ever.
    if (c.get('caller') !== 'token')
      throw carrelError('UNAUTHENTICATED', { reason: 'this takes the token itself' });
    return c.json({ url: gate.createLoginLink() }, 201);
  });
  api.openapi(endRoute, c => {
    deleteCookie(c, cookieName, COOKIE);
    return c.body(null, 204);
  });
  api.get('/login', c => {
    if (redeems(c, gate))
      setCookie(c, cookieName, gate.sessions.create(), { ...COOKIE, maxAge: gate.sessions.maxAgeSeconds });
    else refuseLogin(c, gate);
    // The pages are the same for everybody and say themselves when there is no session. What they ask for is from the
    // same site, and so has the cookie, also when the link was clicked elsewhere.
    return c.redirect('/', 303);
  });
}

/** A person who opens an old link again may have a session already: the pages know. */
function refuseLogin(c: ApiContext, gate: Gate): void {
  const error = failedLogin(c, gate, 'the link was used already, or is too old');
  const isPerson = c.req.header('accept')?.includes('text/html') === true;
  if (error.code === 'TOO_MANY_REQUESTS' || !isPerson) throw error;
}

/** Not by HEAD, with which programs look whether a link is good. */
const redeems = (c: ApiContext, { loginCodes }: Gate): boolean =>
  c.req.method === 'GET' && loginCodes.redeem(c.req.query('code') ?? '');
