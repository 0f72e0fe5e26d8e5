import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ServerContext } from './server-context.js';

/** What security has found out about a request by the time that a route sees it. */
interface RequestVariables {
  readonly requestId: string;
  readonly caller: 'token' | 'browser';
}

export interface ApiEnvironment {
  readonly Bindings: HttpBindings;
  readonly Variables: RequestVariables;
}

export type Api = OpenAPIHono<ApiEnvironment>;

export type ApiContext = Context<ApiEnvironment>;

/** Adds the routes of one part. */
export type AddRoutes = (api: Api, server: ServerContext) => void;
