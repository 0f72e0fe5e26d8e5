import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ServerContext } from './server-context.js';

/** What the security checks know about a request when a route gets it. */
interface RequestVariables {
  readonly requestId: string;
  readonly caller: 'token' | 'browser';
  /** The session of a browser. */
  readonly session: string | undefined;
}

export interface ApiEnvironment {
  readonly Bindings: HttpBindings;
  readonly Variables: RequestVariables;
}

export type Api = OpenAPIHono<ApiEnvironment>;

export type ApiContext = Context<ApiEnvironment>;

/** Adds the routes of one part. */
export type AddRoutes = (api: Api, server: ServerContext) => void;
