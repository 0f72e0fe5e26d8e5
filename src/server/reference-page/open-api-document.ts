import type { Api } from '../api.js';
import { EXAMPLES } from './examples.js';

export type OpenApiDocument = ReturnType<Api['getOpenAPI31Document']>;
type Operations = NonNullable<OpenApiDocument['paths']>[string];
export type Operation = NonNullable<Operations['get']>;

type Components = NonNullable<OpenApiDocument['components']>;

/** What can happen to any request that needs a caller, before its route sees it or in spite of it. */
const EVERYWHERE = {
  401: 'no token, or not that of the server',
  403: 'the request comes from another site or under a name that is not the server’s, or is for a repository that the server may not use',
  413: 'the body is too large',
  415: 'the body is not JSON, or does not say so',
  429: 'too many requests; `Retry-After` says when to try again',
  500: 'a mistake in Carrel; the log of the server tells more',
} as const;

const DESCRIPTION = [
  'Isolated workspaces for coding agents, over HTTP.',
  '',
  'Every request to `/api` carries the token of the server: `Authorization: Bearer TOKEN`. Errors are RFC 9457 problems with',
  'a `code` to branch on. Streams are Server-Sent Events: go on after a break with `Last-Event-ID`.',
].join('\n');

const TAGS = [
  { name: 'developer', description: 'Stories: what is sent is carried out in a worktree of its own' },
  { name: 'tasks', description: 'Tasks and their logs' },
  { name: 'events', description: 'What happens, as it happens' },
  { name: 'workspaces', description: 'Workspaces and the work in them' },
  { name: 'snapshots', description: 'What was kept of workspaces' },
  { name: 'pool', description: 'Warm workspaces' },
  { name: 'batches', description: 'Many attempts of many tasks, judged' },
  { name: 'overview', description: 'What goes on' },
  { name: 'settings', description: 'Configuration and the machine' },
  { name: 'server', description: 'The server itself' },
];

/** All routes that the API has by now. */
export function createOpenApiDocument(api: Api, version: string): OpenApiDocument {
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Carrel', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: TAGS,
    security: [{ token: [] }, { cookie: [] }],
  });
  for (const operation of listOperations(document)) if (needsCaller(operation)) addProblems(operation);
  return { ...document, components: describeComponents(document) };
}

function listOperations({ paths = {} }: OpenApiDocument): Operation[] {
  return Object.values(paths).flatMap(item => METHODS.flatMap(method => item[method] ?? []));
}

export const METHODS = ['get', 'post', 'delete'] as const;

const needsCaller = ({ security }: Operation): boolean => security?.length !== 0;

function addProblems(operation: Operation): void {
  const isOfBody = (status: string) => status === '413' || status === '415';
  const statuses = Object.keys(EVERYWHERE).filter(status => operation.requestBody || !isOfBody(status));
  const references = statuses.map(status => [status, { $ref: `#/components/responses/problem-${status}` }]);
  operation.responses = { ...Object.fromEntries(references), ...operation.responses };
}

function describeComponents({ components = {} }: OpenApiDocument): Components {
  const schemas = Object.entries(components.schemas ?? {}).map(([name, schema]) => [
    name,
    EXAMPLES[name] === undefined ? schema : { ...schema, examples: [EXAMPLES[name]] },
  ]);
  const reference = { 'application/problem+json': { schema: { $ref: '#/components/schemas/problem' } } };
  const responses = Object.entries(EVERYWHERE).map(([status, description]) => [
    `problem-${status}`,
    { description, content: reference },
  ]);
  return {
    ...components,
    schemas: Object.fromEntries(schemas),
    responses: Object.fromEntries(responses),
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer', description: 'in the file that `carrel serve` names' },
      cookie: {
        type: 'apiKey',
        in: 'cookie',
        name: 'carrel_session_7717',
        description: 'what a login link gives a browser; its name ends with the port of the server',
      },
    },
  };
}
