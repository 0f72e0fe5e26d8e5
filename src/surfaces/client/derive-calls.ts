import type { CallOptions, MakingOptions } from './carrel-client.js';
import type { DerivedCalls } from './derived-routes.js';
import { readEventStream } from './event-stream.js';
import type { Call, Http } from './http.js';

/** A call of an operation on something with an id: the id, the other fields of the input, and options. */
export type CallOnSubject<Request, Answer, Subject extends string> =
  Partial<Omit<Request, Subject>> extends Omit<Request, Subject>
    ? (id: string, request?: Omit<Request, Subject>, options?: CallOptions) => Promise<Answer>
    : (id: string, request: Omit<Request, Subject>, options?: CallOptions) => Promise<Answer>;

/** The same where the id is the whole input. */
export type CallOnSubjectAlone<Answer> = (id: string, options?: CallOptions) => Promise<Answer>;

/** The same where several fields, or a list, name it: each is an argument, in this order. */
export type CallWithNames<Request, Answer, Names extends readonly (keyof Request)[]> = (
  ...given: [...Values<Request, Names>, options?: CallOptions]
) => Promise<Answer>;

type Values<Request, Names extends readonly (keyof Request)[]> = {
  [Index in keyof Names]: Unchanged<Request[Names[Index]]>;
};

type Unchanged<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/** An operation in a repository has it among its fields; the server's own repository when omitted. */
export type CallInRepository<Request, Answer> =
  Partial<Request> extends Request
    ? (request?: Request & InRepository, options?: CallOptions) => Promise<Answer>
    : (request: Request & InRepository, options?: CallOptions) => Promise<Answer>;

/** The same for calls without a repository. */
export type CallAlone<Request, Answer> = (request: Request, options?: CallOptions) => Promise<Answer>;

/** A question about a repository: all in one object. */
export type QueryOfRepository<Request, Answer> = (
  request?: Request & InRepository & CallOptions,
) => Promise<Answer>;

/** The same where a repeated request with the same key makes nothing more. */
export type MakingCall<Request, Answer> = (
  request: Request & InRepository,
  options?: MakingOptions,
) => Promise<Answer>;

/** A list on something with an id, item by item; with `follow`, even across a restart of the server. */
export type StreamOfSubject<Request, Answer, Subject extends string> = (
  id: string,
  request?: Omit<Request, Subject> & CallOptions,
) => AsyncIterable<Answer extends readonly (infer Item)[] ? Item : never>;

/** A question about no repository. */
export type Query<Request, Answer> = (request?: Request & CallOptions) => Promise<Answer>;

type InRepository = { readonly repository?: string | undefined };

/** The route of an operation in derived-routes.ts. */
export interface DerivedRoute {
  readonly noun: string;
  readonly verb: string;
  /** `tasks.show`, or one word for a function on its own. */
  readonly call: string;
  /** The fields that are separate arguments: what it works on, and what else is in the path. */
  readonly names?: readonly string[];
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  /** Whether it is about no repository. */
  readonly isGlobal?: true;
  readonly isText?: true;
  readonly isStream?: true;
  readonly isRepeatable?: true;
  /** All other fields. */
  readonly fields: readonly string[];
}

type Request = Readonly<Record<string, unknown>>;

/** The derived functions of one noun. */
export function deriveCalls<Noun extends keyof DerivedCalls>(
  http: Http,
  routes: readonly DerivedRoute[],
  noun: Noun,
): DerivedCalls[Noun] {
  const own = routes.filter(route => route.noun === noun);
  return Object.fromEntries(
    own.map(route => [route.verb, deriveCall(http, route)]),
  ) as unknown as DerivedCalls[Noun];
}

function deriveCall(http: Http, route: DerivedRoute) {
  const { names = [], method, path, fields } = route;
  const ask = route.isText ? http.text : http.json;
  const send = (
    address: string,
    request: Request = {},
    { signal, idempotencyKey: key }: MakingOptions = {},
  ) =>
    ask(address, {
      ...describe(method, request),
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
      signal,
    });
  if (isQuery(route))
    return ({ signal, ...request }: Request & CallOptions = {}) => send(path, request, { signal });
  if (names.length === 0) return (request?: Request, options?: MakingOptions) => send(path, request, options);
  if (route.isStream)
    return (id: string, { signal, ...request }: Request & CallOptions = {}) =>
      streamItems(http, locate(route, [id]).address, request, { signal });
  return (...given: unknown[]) => {
    const { address, inQuery } = locate(route, given);
    const rest = given.slice(names.length);
    const [request, options] = fields.length === 0 ? [{}, ...rest] : rest;
    return send(address, { ...inQuery, ...(request as Request) }, options as CallOptions);
  };
}

/** The path with its names; what is not in the path, such as a list, is in the query. */
function locate({ names = [], path }: DerivedRoute, given: readonly unknown[]) {
  const pairs = names.map((name, index) => [name, given[index]] as const);
  const address = pairs.reduce(
    (text, [name, value]) => text.replace(`{${name}}`, () => encodeURIComponent(String(value))),
    path,
  );
  return { address, inQuery: Object.fromEntries(pairs.filter(([name]) => !path.includes(`{${name}}`))) };
}

async function* streamItems(
  http: Http,
  path: string,
  request: Request,
  { signal }: CallOptions,
): AsyncGenerator<unknown, void, void> {
  const query = toQuery(request);
  if (request.follow !== true) return yield* await http.json<unknown[]>(path, { query, signal });
  for await (const { data } of readEventStream(http, path, { query, signal })) yield JSON.parse(data);
}

const isQuery = ({ names, method, fields }: DerivedRoute): boolean =>
  names === undefined && (method !== 'post' || fields.length === 0);

const describe = (method: DerivedRoute['method'], request: Request): Call =>
  method === 'post'
    ? { method: 'POST', body: request }
    : { method: method === 'get' ? 'GET' : 'DELETE', query: toQuery(request) };

/** The same names as on the command line, without the leading dashes. A list has commas in between. */
const toQuery = (request: Request): NonNullable<Call['query']> =>
  Object.fromEntries(
    Object.entries(request).map(([name, value]) => [
      typeof value === 'boolean' ? name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`) : name,
      Array.isArray(value) ? value.join(',') : (value as string | number | boolean | undefined),
    ]),
  );

/** The allowed fields of the arguments of a derived function: see strict-calls.ts. */
export const derivedArguments = (
  routes: readonly DerivedRoute[],
): Record<string, readonly (readonly string[] | null)[]> =>
  Object.fromEntries(routes.map(route => [route.call, argumentsOf(route)]));

function argumentsOf(route: DerivedRoute): (readonly string[] | null)[] {
  const { fields: own, names: named = [] } = route;
  const place = route.isGlobal ? [] : ['repository'];
  if (isQuery(route)) return [[...own, ...place, 'signal']];
  const names = named.map(() => null);
  if (route.isStream) return [...names, [...own, 'signal']];
  const options = route.isRepeatable ? ['idempotencyKey', 'signal'] : ['signal'];
  if (names.length === 0) return [[...own, ...place], options];
  return own.length === 0 ? [...names, options] : [...names, own, options];
}
