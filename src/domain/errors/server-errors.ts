import { entry } from './entry.js';

export interface RequestIssue {
  /** Where in the request, such as `body.story` or `query.limit`. */
  readonly at: string;
  readonly problem: string;
}

export const serverErrors = {
  UNAUTHENTICATED: entry<{ reason: string }>({
    kind: 'user',
    summary: 'A request came without a token or session, or with one that is not valid.',
    message: d => `the request is not authenticated: ${d.reason}`,
    hint: () =>
      'send `Authorization: Bearer TOKEN` with the token of the server, or make a link with: carrel dashboard',
  }),
  REQUEST_REFUSED: entry<{ reason: string }>({
    kind: 'user',
    summary: 'A request came from a page of another site, or under a host name that is not the server’s.',
    message: d => `the request is refused: ${d.reason}`,
    hint: () => 'use the address that the server printed; other host names are allowed with --host-name NAME',
  }),
  REQUEST_INVALID: entry<{ issues: readonly RequestIssue[] }>({
    kind: 'user',
    summary: 'A request does not have the shape that its route takes.',
    message: d => d.issues.map(({ at, problem }) => `${at}: ${problem}`).join('; '),
    hint: () => 'see /docs on the server for what each route takes',
  }),
  BODY_TOO_LARGE: entry<{ limitBytes: number }>({
    kind: 'user',
    summary: 'The body of a request is larger than the server takes.',
    message: d => `the body of the request is too large; expected at most ${d.limitBytes} bytes`,
    hint: () => 'send less; large files belong into the repository',
  }),
  MEDIA_TYPE_UNSUPPORTED: entry<{ found: string }>({
    kind: 'user',
    summary: 'The body of a request is not JSON.',
    message: d => `the body of the request is ${JSON.stringify(d.found)}; expected application/json`,
    hint: () => 'send JSON with the header `Content-Type: application/json`',
  }),
  TOO_MANY_REQUESTS: entry<{ retryAfterSeconds: number }>({
    kind: 'environment',
    summary: 'One address sent more requests, or failed to authenticate more often, than the server takes.',
    message: () => 'too many requests came from this address',
    hint: d => `wait ${d.retryAfterSeconds} s, then go on`,
  }),
  TOO_MANY_STREAMS: entry<{ limit: number }>({
    kind: 'environment',
    summary: 'As many streams are open as the server serves at once.',
    message: d => `${d.limit} streams are open already`,
    hint: () => 'close some, or ask without following',
  }),
  ROUTE_NOT_FOUND: entry<{ method: string; path: string }>({
    kind: 'not-found',
    summary: 'The server has nothing under the path of a request, or not for its method.',
    message: d => `there is no ${d.method} ${d.path}`,
    hint: () => 'see /docs on the server for what there is',
  }),
  SERVER_STOPPING: entry<Record<string, never>>({
    kind: 'environment',
    summary: 'The server is about to stop and takes no more requests.',
    message: () => 'the server is about to stop',
    hint: () => 'try again when it has been started',
  }),
  PORT_TAKEN: entry<{ host: string; port: number }>({
    kind: 'environment',
    summary: 'Another process listens on the port that the server was to have.',
    message: d => `port ${d.port} of ${d.host} is taken`,
    hint: () => 'a server may run already; start another with: carrel serve --port 0',
  }),
  ADDRESS_UNUSABLE: entry<{ host: string; port: number; problem: string }>({
    kind: 'user',
    summary: 'The server can not listen where it was told to.',
    message: d => `nothing can listen on port ${d.port} of ${d.host}: ${d.problem}`,
    hint: () => 'choose an address of this machine with --host and a port above 1023 with --port',
  }),
  TOKEN_FILE_UNUSABLE: entry<{ file: string; problem: string }>({
    kind: 'environment',
    summary: 'The file with the token of the server can be read by others, or holds no token.',
    message: d => `the token in ${d.file} is not used: ${d.problem}`,
    hint: d => `make a new one by removing it (rm ${d.file}), or keep it to yourself (chmod 600 ${d.file})`,
  }),
  REPOSITORY_NOT_ALLOWED: entry<{ repository: string; reason: string }>({
    kind: 'user',
    summary: 'A request to the server names a repository that lies outside of what the server may use.',
    message: d => `the repository ${JSON.stringify(d.repository)} is not taken: ${d.reason}`,
    hint: () =>
      'name another one, or allow its directory or the beginning of its url with: carrel serve --allow PLACE',
  }),
  REPOSITORY_UNAVAILABLE: entry<{ repository: string; reason: string }>({
    kind: 'environment',
    summary: 'A repository that a request to the server names by a url could not be fetched.',
    message: d => `${d.repository} can't be fetched: ${d.reason}`,
    hint: () =>
      'check the url, and that git on the machine of the server can fetch it without asking anybody',
  }),
  TASK_DIFF_GONE: entry<{ id: string; problem: string }>({
    kind: 'not-found',
    summary: 'A task has no work that could be shown as a diff: nothing is there yet, or nothing is left.',
    message: d => `there is no diff of the task ${d.id}: ${d.problem}`,
    hint: d => `look at it with: carrel task show ${d.id}`,
  }),
  WORKTREE_IN_USE: entry<{ id: string; taskId: string; status: string }>({
    kind: 'conflict',
    summary: 'A worktree was to be removed by the server whose task has not ended.',
    message: d => `the worktree ${d.id} is in use: its task ${d.taskId} is ${d.status}`,
    hint: d => `cancel it first, with POST /api/tasks/${d.taskId}/cancel or: carrel task cancel ${d.taskId}`,
  }),
  IDEMPOTENCY_KEY_REUSED: entry<{ key: string; id: string }>({
    kind: 'conflict',
    summary: 'A request to the server has the Idempotency-Key of an earlier one, and another body.',
    message: d =>
      `the Idempotency-Key ${JSON.stringify(d.key)} belongs to ${d.id}, which was asked for otherwise`,
    hint: () => 'send a new key with a new request',
  }),
} as const;
