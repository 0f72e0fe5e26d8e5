import { OpenAPIHono } from '@hono/zod-openapi';
import type { ServerContext } from './server-context.js';

/** What security has found out about a request by the time that a route sees it. */
interface RequestVariables {
  readonly requestId: string;
  readonly caller: 'token' | 'browser';
}

export type Api = OpenAPIHono<{ Variables: RequestVariables }>;

/** Adds the routes of one part. */
export type AddRoutes = (api: Api, server: ServerContext) => void;
