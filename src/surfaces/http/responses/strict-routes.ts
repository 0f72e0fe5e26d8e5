import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi';
import { z } from 'zod';
import { requestObject } from '../../../domain/api/request-object.js';
import { describeUnknown } from '../../../domain/api/unknown-fields.js';
import { carrelError } from '../../../domain/error/error.js';
import type { Api, ApiContext } from '../api.js';

/**
 * Makes every API route that is added from now on refuse unknown query parameters, unknown fields of the body, and an
 * unexpected body. Schemas of bodies are strict themselves, because they are published by name.
 */
export function refuseUnknownFields(api: Api): void {
  const add = api.openapi as (route: RouteConfig, handler: Handler) => OpenAPIHono;
  const addStrict = (route: RouteConfig, handler: Handler) => {
    if (!route.path.startsWith('/api/')) return add(route, handler);
    const { query, body } = route.request ?? {};
    requireStrict(route, schemaOf(body));
    // Not in the published document, where it adds nothing.
    const strict = { ...route, request: { ...route.request, query: strictQuery(route, query) } };
    return add(strict, body === undefined ? withoutBody(handler) : handler);
  };
  api.openapi = addStrict as typeof api.openapi;
}

type Handler = (c: ApiContext, next: () => Promise<void>) => unknown;

function schemaOf(body: NonNullable<RouteConfig['request']>['body']): unknown {
  const media = body?.content['application/json'];
  return media && 'schema' in media ? media.schema : undefined;
}

/** A page that a browser opens directly has a ticket (see http/sessions/page-tickets.ts), which the guard has checked. */
const TICKET = { ticket: z.string().optional().describe('lets a browser open the page, once') };

function strictQuery({ responses }: RouteConfig, query: unknown): z.ZodObject {
  const shape = query instanceof z.ZodObject ? query.shape : {};
  const isPage = Object.values(responses).some(
    answer => 'content' in answer && answer.content && 'text/html' in answer.content,
  );
  return requestObject(isPage ? { ...shape, ...TICKET } : shape);
}

/** Fails when the server starts, and so in every test. */
function requireStrict({ method, path }: RouteConfig, schema: unknown): void {
  if (schema === undefined) return;
  const isStrict = schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever;
  if (!isStrict) throw carrelError('INTERNAL', { problem: `the body of ${method} ${path} takes any field` });
}

const withoutBody =
  (handler: Handler): Handler =>
  async (c, next) => {
    const text = c.req.method === 'GET' ? '' : await c.req.text();
    const fields = text === '' ? [] : listFields(text);
    if (fields.length > 0)
      throw carrelError('REQUEST_INVALID', {
        issues: [{ at: 'body', problem: describeUnknown(fields, []) }],
      });
    return handler(c, next);
  };

/** A value that is not an object has no unknown fields. */
function listFields(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  } catch {
    return [];
  }
}
