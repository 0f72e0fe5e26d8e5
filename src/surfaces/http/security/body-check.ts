import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { carrelError } from '../../../domain/error/error.js';

/** Bodies must be JSON (which a form on a foreign page cannot send) and small; a body without a length is counted. */
export function checkBody(limitBytes: number): MiddlewareHandler {
  const limit = bodyLimit({
    maxSize: limitBytes,
    onError: () => {
      throw carrelError('BODY_TOO_LARGE', { limitBytes });
    },
  });
  return async (c, next) => {
    const { headers } = c.req.raw;
    if (!hasBody(headers)) return next();
    const found = headers.get('content-type') ?? '';
    if (!/^application\/json *(;|$)/i.test(found)) throw carrelError('MEDIA_TYPE_UNSUPPORTED', { found });
    return limit(c, next);
  };
}

const hasBody = (headers: Headers): boolean =>
  headers.has('transfer-encoding') || !['0', null].includes(headers.get('content-length'));
