import { createRoute, z } from '@hono/zod-openapi';
import { declarations } from '../../../declarations.js';
import { requestObject } from '../../../domain/api/request-object.js';
import { carrelError } from '../../../domain/error/error.js';
import {
  groupOf,
  type HttpRoute,
  isOffered,
  namesInPath,
  type Operation,
} from '../../../operations/operation.js';
import type { AddRoutes, Api, ApiContext } from '../api.js';
import { openDirectory, openRepository } from '../repositories/open-repository.js';
import { requireChangeable } from '../repositories/require-changeable.js';
import {
  jsonAnswer,
  jsonBody,
  optionalBody,
  problemAnswers,
  textAnswer,
} from '../responses/route-responses.js';
import type { ServerContext } from '../server-context.js';
import { findSubjects } from './find-subject.js';
import { fromText, readQuery, toQuery } from './operation-query.js';
import { type Answer, type OperationRequest, ownAnswers, ownDescriptions } from './own-answers.js';

/** The routes of all operations that the API offers. */
export const addOperationRoutes: AddRoutes = (api, server) => {
  const offered = (declarations as readonly Operation[]).flatMap(operation =>
    isOffered(operation.http) ? [{ operation, http: operation.http }] : [],
  );
  const sorted = offered.toSorted((one, other) => one.http.path.localeCompare(other.http.path));
  for (const { operation, http } of sorted) addRoute(api, server, operation, http);
};

function addRoute(api: Api, server: ServerContext, operation: Operation, http: HttpRoute): void {
  const { noun, verb, summary, output } = operation;
  const { status = 200, text } = http;
  const own = ownDescriptions[`${noun}.${verb}`] ?? {};
  const route = createRoute({
    method: http.method,
    path: http.path,
    operationId: http.operationId ?? `${verb}${noun[0]?.toUpperCase()}${noun.slice(1)}`,
    tags: [groupOf(noun)],
    summary,
    ...(own.description && { description: own.description }),
    request: { ...describeRequest(operation, http), ...(own.headers && { headers: own.headers }) },
    responses: {
      [status]: {
        ...(text ? textAnswer(text, http.answer) : jsonAnswer(output, http.answer)),
        ...(own.content && { content: own.content }),
      },
      ...own.answers,
      ...problemAnswers(...http.problems),
    },
  });
  const answer = http.by ? ownAnswer(server, operation) : answerWith(operation, http);
  api.openapi(route as ReturnType<typeof createRoute>, async c =>
    answer(await readRequest(server, operation, http, c), c),
  );
}

function ownAnswer(server: ServerContext, { noun, verb }: Operation): Answer {
  const create = ownAnswers[`${noun}.${verb}`];
  if (!create) throw carrelError('INTERNAL', { problem: `${noun}.${verb} has no entry in own-answers.ts` });
  return create(server);
}

const answerWith =
  (operation: Operation, { status = 200, makes, text }: HttpRoute): Answer =>
  async ({ call, input }, c) => {
    const value = (await operation.run(call, input)) as { readonly id?: string };
    if (text) return c.body(String(value), status, { 'content-type': `${text}; charset=utf-8` });
    return c.json(value, status, makes ? { location: `${makes}/${value.id}` } : {});
  };

async function readRequest(
  server: ServerContext,
  operation: Operation,
  http: HttpRoute,
  c: ApiContext,
): Promise<OperationRequest> {
  const { repository, ...fields }: Record<string, unknown> = {
    ...readQuery(operation, c.req.valid('query' as never)),
    ...(c.req.valid('json' as never) as object),
    ...(c.req.valid('param' as never) as object),
  };
  const { signal: gone } = c.req.raw;
  const signal =
    http.within === undefined ? gone : AbortSignal.any([gone, AbortSignal.timeout(http.within * 1000)]);
  const check =
    operation.effects === 'reads'
      ? undefined
      : (found: { readonly repository: string }) => requireChangeable(server, found);
  const call = { context: server.app, repository: server.app.cwd, signal, check };
  const { subject } = operation;
  if (subject !== undefined) {
    const named = await findSubjects(server, operation, http, fields[subject] as string | string[]);
    return { call, input: { ...fields, [subject]: named } };
  }
  if (http.repository === 'none') return { call, input: fields };
  if (http.repository) return { call, input: { ...fields, repository } };
  if (http.everywhere && repository === undefined) return { call, input: { ...fields, all: true } };
  const place = await openPlace(server, http, { ...fields, repository: repository as string, signal });
  return { call: { ...call, repository: place.directory }, input: { ...fields, ...place.fields } };
}

function describeRequest({ input, subject }: Operation, http: HttpRoute) {
  const { method, without = {}, everywhere, body: published } = http;
  const inPath = namesInPath(http);
  const shape = { ...input.shape, ...http.instead } as Record<string, z.ZodType>;
  const fields = Object.fromEntries(
    Object.entries(shape).filter(
      ([name]) => !(name in without || inPath.includes(name)) && !(everywhere && name === 'all'),
    ),
  );
  const describeName = (name: string): z.ZodType =>
    name === subject
      ? z.string().min(1).describe(`id of the ${subject}`)
      : fromText(shape[name] as z.ZodType);
  const named = Object.fromEntries(inPath.map(name => [name, describeName(name)]));
  const params = inPath.length === 0 ? {} : { params: z.object(named) };
  const all =
    subject === undefined && http.repository !== 'none'
      ? { repository: describeRepository(http), ...fields }
      : fields;
  if (Object.keys(all).length === 0) return params;
  if (method !== 'post') return { ...params, query: z.object(toQuery(all)) };
  const body = published ? requestObject(all).meta(published) : requestObject(all);
  const isOptional = Object.values(all).every(field => field.safeParse(undefined).success);
  return { ...params, body: isOptional ? optionalBody(body) : jsonBody(body) };
}

function describeRepository({ clones, everywhere, repository }: HttpRoute): z.ZodType {
  const what =
    clones || repository ? 'a directory in the repository, or its URL' : 'a directory in the repository';
  const omitted = everywhere ? '; all repositories when omitted' : '';
  const allowed = everywhere && repository ? '' : '; must be allowed by the server';
  return z.string().min(1).optional().describe(`${what}${allowed}${omitted}`);
}

async function openPlace(
  server: ServerContext,
  { clones }: HttpRoute,
  given: {
    readonly repository: string | undefined;
    readonly base?: string;
    readonly signal: AbortSignal;
  },
): Promise<{ directory: string; fields: { base?: string | undefined } }> {
  if (!clones) return { directory: await openDirectory(server, given.repository), fields: {} };
  const { directory, base } = await openRepository(server, given);
  return { directory, fields: { base } };
}
