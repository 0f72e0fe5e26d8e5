import type { CarrelEvent } from '../domain/event.js';
import type { LogLine } from '../domain/log-line.js';
import type { AcceptedRisks } from '../domain/risk.js';
import type { CarrelClient } from './carrel-client.js';
import { readEventStream } from './event-stream.js';
import { type ClientOptions, createHttp, type Http } from './http.js';

/** A client of one server. Runs in Node and in browsers, and loads nothing else. */
export function createClient(options: ClientOptions = {}): CarrelClient {
  const http = createHttp(options);
  return {
    health: ({ signal } = {}) => http.json('/healthz', { signal }),
    overview: ({ signal } = {}) => http.json('/api/overview', { signal }),
    developer: developerCalls(http),
    tasks: taskCalls(http),
    workspaces: workspaceCalls(http),
    snapshots: {
      list: ({ repository, signal } = {}) => http.json('/api/snapshots', { query: { repository }, signal }),
      restore: (id, body = {}, { signal } = {}) =>
        http.json(`/api/snapshots/${name(id)}/restore`, { method: 'POST', body, signal }),
    },
    pool: {
      status: ({ repository, signal } = {}) => http.json('/api/pool', { query: { repository }, signal }),
      warm: (body, { signal } = {}) => http.json('/api/pool/warm', { method: 'POST', body, signal }),
      drain: ({ repository, signal } = {}) =>
        http.json('/api/pool/drain', { method: 'POST', body: { repository }, signal }),
    },
    batches: batchCalls(http),
    config: ({ repository, signal } = {}) => http.json('/api/config', { query: { repository }, signal }),
    doctor: ({ repository, signal } = {}) => http.json('/api/doctor', { query: { repository }, signal }),
    events: options => events(http, options),
  };
}

/** An id as a part of a path. */
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

function taskCalls(http: Http): CarrelClient['tasks'] {
  const of = (id: string) => `/api/tasks/${name(id)}`;
  return {
    create: (body, { idempotencyKey, signal } = {}) =>
      http.json('/api/tasks', { method: 'POST', body, signal, headers: keyed(idempotencyKey) }),
    list: ({ repository, status, limit, signal } = {}) =>
      http.json('/api/tasks', { query: { repository, status, limit }, signal }),
    show: (id, { signal } = {}) => http.json(of(id), { signal }),
    cancel: (id, { signal } = {}) => http.json(`${of(id)}/cancel`, { method: 'POST', signal }),
    retry: (id, body = {}, { signal } = {}) => http.json(`${of(id)}/retry`, { method: 'POST', body, signal }),
    land: (id, body = {}, { signal } = {}) => http.json(`${of(id)}/land`, { method: 'POST', body, signal }),
    diff: (id, { signal } = {}) => http.text(`${of(id)}/diff`, { signal }),
    log: (id, options) => taskLog(http, `${of(id)}/logs`, options),
  };
}

function workspaceCalls(http: Http): CarrelClient['workspaces'] {
  const of = (id: string) => `/api/workspaces/${name(id)}`;
  return {
    create: (body = {}, { signal } = {}) => http.json('/api/workspaces', { method: 'POST', body, signal }),
    list: ({ repository, fast, signal } = {}) =>
      http.json('/api/workspaces', { query: { repository, details: fast ? false : undefined }, signal }),
    show: (id, { signal } = {}) => http.json(of(id), { signal }),
    diff: (id, { signal } = {}) => http.text(`${of(id)}/diff`, { signal }),
    snapshot: (id, body = {}, { signal } = {}) =>
      http.json(`${of(id)}/snapshots`, { method: 'POST', body, signal }),
    land: (id, body = {}, { signal } = {}) => http.json(`${of(id)}/land`, { method: 'POST', body, signal }),
    risks: (id, { signal } = {}) => http.json(`${of(id)}/risks`, { signal }),
    remove: (id, accepted, { signal } = {}) =>
      http.json(of(id), { method: 'DELETE', query: flags(accepted), signal }),
  };
}

function batchCalls(http: Http): CarrelClient['batches'] {
  const of = (run: string) => `/api/batches/${name(run)}`;
  const attemptOf = (run: string, taskId: string, attempt: number) =>
    `${of(run)}/attempts/${name(taskId)}/${attempt}`;
  return {
    start: (body, { signal } = {}) => http.json('/api/batches', { method: 'POST', body, signal }),
    list: ({ signal } = {}) => http.json('/api/batches', { signal }),
    show: (run, { signal } = {}) => http.json(of(run), { signal }),
    stop: (run, { signal } = {}) => http.json(`${of(run)}/stop`, { method: 'POST', signal }),
    resume: (run, { signal } = {}) => http.json(`${of(run)}/resume`, { method: 'POST', signal }),
    compare: (runs, { signal } = {}) =>
      http.json('/api/comparisons', { query: { runs: runs.join(',') }, signal }),
    patch: (run, taskId, attempt, { signal } = {}) =>
      http.text(`${attemptOf(run, taskId, attempt)}/patch`, { signal }),
    log: (run, taskId, attempt, { signal } = {}) =>
      http.text(`${attemptOf(run, taskId, attempt)}/log`, { signal }),
  };
}

/** The same words as on the command line, without the dashes before them. */
const flags = ({ discardChanges, discardCommits, stopProcesses, breakLease }: AcceptedRisks = {}) => ({
  'discard-changes': discardChanges,
  'discard-commits': discardCommits,
  'stop-processes': stopProcesses,
  'break-lease': breakLease,
});

async function* taskLog(
  http: Http,
  path: string,
  { follow = false, signal }: Parameters<CarrelClient['tasks']['log']>[1] = {},
): AsyncGenerator<LogLine, void, void> {
  if (!follow) {
    yield* await http.json<LogLine[]>(path, { signal });
    return;
  }
  for await (const { data } of readEventStream(http, path, { query: { follow }, signal }))
    yield JSON.parse(data) as LogLine;
}

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
