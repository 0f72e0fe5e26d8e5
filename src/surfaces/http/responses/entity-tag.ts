import { createHash } from 'node:crypto';
import type { Context } from 'hono';

/** A value as JSON, or 304 if the client already has it. For resources that are requested often. */
export function answerUnlessSame<T>(c: Context, value: T) {
  const text = JSON.stringify(value);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  const known = c.req.header('if-none-match') ?? '';
  // A proxy may have made it weak.
  const isKnown = known.split(',').some(each => each.trim().replace(/^W\//, '') === etag);
  c.header('etag', etag);
  // Other answers of the API are not cached; this one is, and is revalidated before use.
  c.header('cache-control', 'private, no-cache');
  return isKnown ? c.body(null, 304) : c.body(text, 200, { 'content-type': 'application/json' });
}
