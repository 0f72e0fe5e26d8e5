import type { CarrelEvent } from '../../domain/event.js';
import type { AcceptedRisks } from '../../domain/workspace/risk.js';
import type { CarrelClient } from './carrel-client.js';
import { deriveCalls } from './derive-calls.js';
import { type DerivedCalls, derivedRoutes } from './derived-routes.js';
import { readEventStream } from './event-stream.js';
import { type ClientOptions, createHttp, type Http } from './http.js';
import { refuseUnknownOptions } from './strict-calls.js';

/** A client of one server. Runs in Node and in browsers, without dependencies. */
export function createClient(options: ClientOptions = {}): CarrelClient {
  const http = createHttp(options);
  return refuseUnknownOptions({
    health: ({ signal } = {}) => http.json('/healthz', { signal }),
    overview: ({ signal } = {}) => http.json('/api/overview', { signal }),
    developer: developerCalls(http),
    tasks: deriveCalls(http, derivedRoutes, 'task'),
    workspaces: deriveCalls(http, derivedRoutes, 'workspace'),
    snapshots: deriveCalls(http, derivedRoutes, 'snapshot'),
    pool: deriveCalls(http, derivedRoutes, 'pool'),
    fleet: deriveCalls(http, derivedRoutes, 'fleet'),
    batches: { ...batchCalls(http), ...deriveCalls(http, derivedRoutes, 'batch') },
    config: deriveCalls(http, derivedRoutes, 'config').show,
    doctor: deriveCalls(http, derivedRoutes, 'doctor').diagnose,
    endSession: async ({ signal } = {}) =>
      void (await http.text('/api/session', { method: 'DELETE', signal })),
    events: options => events(http, options),
  });
}

/** An id as a path segment. */
const name = (id: string): string => encodeURIComponent(id);

function developerCalls(http: Http): CarrelClient['developer'] {
  const root = '/api/developer';
  return {
    submit: (body, { waitSeconds, idempotencyKey, signal } = {}) =>
      http.json(`${root}/workflows`, {
        method: 'POST',
        body,
        signal,
        headers: {
          ...(waitSeconds === undefined ? {} : { prefer: `wait=${Math.ceil(waitSeconds)}` }),
          ...keyed(idempotencyKey),
        },
      }),
    list: ({ signal } = {}) => http.json(`${root}/workflows`, { signal }),
    show: (id, { signal } = {}) => http.json(`${root}/workflows/${name(id)}`, { signal }),
    worktrees: ({ signal } = {}) => http.json(`${root}/worktrees`, { signal }),
    removeWorktree: (id, accepted, { signal } = {}) =>
      http.json(`${root}/worktrees/${name(id)}`, { method: 'DELETE', query: flags(accepted), signal }),
  };
}

const keyed = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'idempotency-key': key };

function batchCalls(http: Http): Omit<CarrelClient['batches'], keyof DerivedCalls['batch']> {
  return {
    reportLink: (run, { signal } = {}) => {
      const path = `/api/batches/${name(run)}/report`;
      return http.json('/api/page-links', { method: 'POST', body: { path }, signal });
    },
  };
}

/** The same names as on the command line, without the leading dashes. */
const flags = ({ discardChanges, discardCommits, stopProcesses, breakLease }: AcceptedRisks = {}) => ({
  'discard-changes': discardChanges,
  'discard-commits': discardCommits,
  'stop-processes': stopProcesses,
  'break-lease': breakLease,
});

async function* events(
  http: Http,
  { taskId, after, signal }: Parameters<CarrelClient['events']>[0] = {},
): AsyncGenerator<CarrelEvent, void, void> {
  const lastId = after === undefined ? undefined : String(after);
  for await (const { data } of readEventStream(http, '/api/events', {
    query: { task: taskId },
    signal,
    lastId,
  }))
    yield JSON.parse(data) as CarrelEvent;
}
