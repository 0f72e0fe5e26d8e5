// The reference page of the HTTP API, from the document that a real server gives.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPart } from '../../dist/parts.js';

const { startServer } = loadPart('server');

/** From a server with a temporary state. */
export async function readOpenApiDocument() {
  const home = mkdtempSync(join(tmpdir(), 'carrel-docs-'));
  const places = { CARREL_STATE_DIR: join(home, 'state'), CARREL_CACHE_DIR: join(home, 'cache') };
  const environment = { PATH: process.env.PATH, HOME: home, ...places };
  const settings = {
    host: '127.0.0.1',
    port: 0,
    hostNames: [],
    repository: null,
    allowedRoots: [],
    allowedUrls: [],
    dashboardDirectory: null,
  };
  const server = await startServer({ settings, environment, cwd: home, logLevel: 'silent' });
  try {
    return await (await fetch(`${server.url}/openapi.json`)).json();
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

export function writeApi(document, { page, table }) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  );
  const introduction = [
    '`carrel serve` answers these requests; [the guide](../guides/api.md) shows how they are used. The server has the same',
    'page at `/docs`, and `/openapi.json` for programs (OpenAPI 3.1). Every request under `/api` needs',
    '`Authorization: Bearer TOKEN`. An error is a [problem](#problem), with a `code` of [errors.md](errors.md); 401, 403, 413,',
    '415, 429 and 500 can be the answer to every request.',
  ].join('\n');
  const groups = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ tags }) => tags.includes(name));
    return [`## ${name}`, `${description}.`, ...own.map(each => describeOperation(each, table))].join('\n\n');
  });
  const schemas = Object.entries(document.components.schemas)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, schema]) => describeSchema(name, schema, table));
  return page('HTTP API', introduction, [...groups, '## Schemas', ...schemas]);
}

function describeOperation(
  { method, path, summary, description, parameters = [], requestBody, responses },
  table,
) {
  const rows = parameters.map(({ name, in: where, required, schema, description: meaning }) => [
    `\`${name}\`${required ? ', required' : ''}`,
    where,
    describeType(schema),
    meaning ?? schema.description ?? '',
  ]);
  const answers = Object.entries(responses)
    .filter(
      ([, answer]) => answer.$ref === undefined && answer.content?.['application/problem+json'] === undefined,
    )
    .map(([status, answer]) => [status, describeContent(answer.content), answer.description]);
  const problems = Object.entries(responses)
    .filter(([, answer]) => answer.content?.['application/problem+json'])
    .map(([status]) => status);
  return [
    `### ${method} ${path}`,
    `${summary}.`,
    ...(description ? [description] : []),
    ...(rows.length > 0 ? [table(['parameter', 'in', 'type', 'meaning'], rows)] : []),
    ...(requestBody
      ? [`Body: ${describeContent(requestBody.content)}${requestBody.required ? '' : ', may be left out'}.`]
      : []),
    table(['answer', 'content', 'meaning'], answers),
    ...(problems.length > 0 ? [`Problems: ${problems.join(', ')}.`] : []),
  ].join('\n\n');
}

const describeContent = (content = {}) =>
  Object.entries(content)
    .map(([type, { schema }]) => (type === 'application/json' ? describeType(schema) : `\`${type}\``))
    .join(' or ');

function describeSchema(name, schema, table) {
  const rows = [...listFields(schema, '', 0)].map(({ key, node, isRequired }) => [
    `\`${key}\`${isRequired ? '' : ', optional'}`,
    describeType(node),
    node.description ?? '',
  ]);
  const content = rows.length > 0 ? table(['field', 'type', 'meaning'], rows) : describeType(schema);
  const words = schema.description ?? schema.title;
  return [`### ${name}`, ...(words ? [`${words}.`] : []), content].join('\n\n');
}

/** Deeper ones are listed only by their type. */
const DEEPEST = 2;

/** With those of objects inside, by dotted names; `[]` stands for each of a list. */
function* listFields(schema, prefix, depth) {
  for (const { properties = {}, required = [] } of schema.allOf ?? [schema])
    for (const [name, node] of Object.entries(properties)) {
      const key = `${prefix}${name}`;
      yield { key, node, isRequired: required.includes(name) };
      if (depth < DEEPEST)
        yield* listFields(node.items ?? node, node.items ? `${key}[].` : `${key}.`, depth + 1);
    }
}

function describeType(node) {
  const name = node.$ref?.split('/').at(-1);
  if (name !== undefined) return `[${name}](#${name})`;
  if (node.const !== undefined) return `\`${JSON.stringify(node.const)}\``;
  if (node.enum) return node.enum.map(value => `\`${value}\``).join(', ');
  const choices = node.anyOf ?? node.oneOf ?? node.allOf;
  if (choices) return [...new Set(choices.map(describeType))].join(node.allOf ? ' and ' : ' or ');
  if (node.type === 'array') return `list of ${describeType(node.items ?? {})}`;
  return [node.type ?? 'anything'].flat().join(' or ');
}
