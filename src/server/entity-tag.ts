import { createHash } from 'node:crypto';
import type { Context } from 'hono';

/** A value as JSON, or 304 without it for whoever has the same already. For what is asked for again and again. */
export function answerUnlessSame<T>(c: Context, value: T) {
  const text = JSON.stringify(value);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  const known = c.req.header('if-none-match') ?? '';
  // A proxy may have made it a weak one.
  const isKnown = known.split(',').some(each => each.trim().replace(/^W\//, '') === etag);
  c.header('etag', etag);
  // The others of our API are not kept at all; this one is, and is asked for before it is used.
  c.header('cache-control', 'private, no-cache');
  return isKnown ? c.body(null, 304) : c.body(text, 200, { 'content-type': 'application/json' });
}
