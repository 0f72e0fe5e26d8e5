import type { Api } from '../api.js';
import { EXAMPLES } from './api-examples.js';

export type OpenApiDocument = ReturnType<Api['getOpenAPI31Document']>;
type Operations = NonNullable<OpenApiDocument['paths']>[string];
export type Operation = NonNullable<Operations['get']>;

type Components = NonNullable<OpenApiDocument['components']>;

/** Errors of any request that needs authentication. */
const EVERYWHERE = {
  401: 'no token, or an invalid one',
  403: 'the request comes from another site, uses a host name that is not the server’s, or names a repository that the server may not use',
  413: 'the body is too large',
  415: 'the body or its content type is not JSON',
  429: 'too many requests; `Retry-After` says when to try again',
  500: 'a bug in Carrel; see the log of the server',
} as const;

const DESCRIPTION = [
  'Isolated workspaces for coding agents, over HTTP.',
  '',
  'Every request to `/api` needs the token of the server: `Authorization: Bearer TOKEN`. Errors are RFC 9457 problems with',
  'a `code` to branch on. Streams are Server-Sent Events: continue after a disconnect with `Last-Event-ID`.',
].join('\n');

const TAGS = [
  { name: 'developer', description: 'Stories, each in its own worktree' },
  { name: 'tasks', description: 'Tasks and their logs' },
  { name: 'events', description: 'Events as they happen' },
  { name: 'workspaces', description: 'Workspaces and the work in them' },
  { name: 'snapshots', description: 'Snapshots of workspaces' },
  { name: 'pool', description: 'Warm workspaces' },
  { name: 'batches', description: 'Batch runs: graded attempts of many tasks' },
  { name: 'fleet', description: 'Machines that run the attempts of batches' },
  { name: 'overview', description: 'The current state of tasks, workspaces and disks' },
  { name: 'settings', description: 'Configuration and the machine' },
  { name: 'server', description: 'The server itself' },
];

/** The document with all routes that have been added. */
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
      token: {
        type: 'http',
        scheme: 'bearer',
        description: 'the token in the file that `carrel serve` prints',
      },
      cookie: {
        type: 'apiKey',
        in: 'cookie',
        name: 'carrel_session_7717',
        description:
          'set by a login link; its name ends with the port of the server. The page also sends the key of the session, in the header x-carrel-session',
      },
    },
  };
}
