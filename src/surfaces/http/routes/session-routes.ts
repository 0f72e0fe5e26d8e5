import { createRoute, z } from '@hono/zod-openapi';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { carrelError } from '../../../domain/error/error.js';
import type { Api, ApiContext } from '../api.js';
import { jsonAnswer, problemAnswers } from '../responses/route-responses.js';
import { failedLogin } from '../security/authenticate.js';
import type { Gate } from '../security/request-gate.js';

const LoginLinkSchema = z.object({
  url: z.string().describe('login link for a browser; works once, for ten minutes'),
});

const PageLinkRequestSchema = z.strictObject({
  path: z.string().regex(/^\/api\/batches\/[\w.-]+\/report$/, 'the path of a report'),
});

const PageLinkSchema = z.object({ url: z.string().describe('works once, for a minute') });

const linkRoute = createRoute({
  method: 'post',
  path: '/api/login-links',
  operationId: 'createLoginLink',
  tags: ['server'],
  summary: 'Create a login link for a browser; needs the token, not a session',
  responses: { 201: jsonAnswer(LoginLinkSchema, 'the link') },
});

const endRoute = createRoute({
  method: 'delete',
  path: '/api/session',
  operationId: 'endSession',
  tags: ['server'],
  summary: 'End the session of this browser in all tabs',
  responses: { 204: { description: 'the session has ended' } },
});

const pageLinkRoute = createRoute({
  method: 'post',
  path: '/api/page-links',
  operationId: 'createPageLink',
  tags: ['server'],
  summary: 'Create a link to the report of a batch for this browser; needs a session, not the token',
  request: {
    body: { required: true, content: { 'application/json': { schema: PageLinkRequestSchema } } },
  },
  responses: { 201: jsonAnswer(PageLinkSchema, 'the link'), ...problemAnswers(400) },
});

const COOKIE = { path: '/', httpOnly: true, sameSite: 'Strict' } as const;

export function addSessionRoutes(api: Api, gate: Gate): void {
  const { cookieName } = gate.sessions;
  api.openapi(linkRoute, c => {
    // Otherwise a session could renew itself forever.
    if (c.get('caller') !== 'token')
      throw carrelError('UNAUTHENTICATED', { reason: 'this needs the token, not a session' });
    return c.json({ url: gate.createLoginLink() }, 201);
  });
  api.openapi(pageLinkRoute, c => {
    const session = c.get('session');
    if (session === undefined) throw carrelError('UNAUTHENTICATED', { reason: 'this needs a session' });
    const { path } = c.req.valid('json');
    return c.json({ url: `${path}?ticket=${gate.pageTickets.create(session, path)}` }, 201);
  });
  api.openapi(endRoute, c => {
    const cookie = getCookie(c, cookieName);
    if (cookie !== undefined && c.get('caller') === 'browser') gate.sessions.end(cookie);
    deleteCookie(c, cookieName, COOKIE);
    return c.body(null, 204);
  });
  api.get('/login', c => {
    if (redeems(c, gate)) {
      const { cookie, key } = gate.sessions.create();
      const secure = isBehindTls(c);
      setCookie(c, cookieName, cookie, { ...COOKIE, secure, maxAge: gate.sessions.maxAgeSeconds });
      // The part after # never leaves the browser; the page reads it.
      return c.redirect(`/#key=${key}`, 303);
    }
    refuseLogin(c, gate);
    // The pages are public and check for a session themselves. Their requests are from the
    // same site and so have the cookie, even if the link was clicked elsewhere.
    return c.redirect('/', 303);
  });
}

/** A user who opens an old link may already have a session: the pages check that. */
function refuseLogin(c: ApiContext, gate: Gate): void {
  const error = failedLogin(c, gate, 'the link has been used or has expired');
  const isPerson = c.req.header('accept')?.includes('text/html') === true;
  if (error.code === 'TOO_MANY_REQUESTS' || !isPerson) throw error;
}

/**
 * As a TLS proxy on the way reports it, even when the client or another proxy claims http. The claim has no other effect: a client that
 * lies only breaks its own cookie, so no list of trusted proxies is needed.
 */
const isBehindTls = (c: ApiContext): boolean =>
  /(^|,)\s*https\s*(,|$)/i.test(c.req.header('x-forwarded-proto') ?? '') ||
  /(^|[;,\s])proto="?https/i.test(c.req.header('forwarded') ?? '');

/** Not for HEAD, which programs use to check links. */
const redeems = (c: ApiContext, { loginCodes }: Gate): boolean =>
  c.req.method === 'GET' && loginCodes.redeem(c.req.query('code') ?? '');
