import { entry } from './catalog-entry.js';

export interface RequestIssue {
  /** Where in the request, such as `body.story`, `query.limit` or `workspaces.create`. */
  readonly at: string;
  readonly problem: string;
}

export const serverErrors = {
  UNAUTHENTICATED: entry<{ reason: string }>({
    kind: 'user',
    summary: 'A request has no token or session, or an invalid one.',
    message: d => `the request is not authenticated: ${d.reason}`,
    hint: () =>
      "send `Authorization: Bearer TOKEN` with the server's token, or create a link with: carrel dashboard",
  }),
  REQUEST_REFUSED: entry<{ reason: string }>({
    kind: 'user',
    summary: "A request came from another site, or under a host name that is not the server's.",
    message: d => `the request was refused: ${d.reason}`,
    hint: () => 'use the address that the server printed; allow other host names with --host-name NAME',
  }),
  REQUEST_INVALID: entry<{ issues: readonly RequestIssue[] }>({
    kind: 'user',
    summary: 'A request does not match the schema of its route, tool or function.',
    message: d => d.issues.map(({ at, problem }) => `${at}: ${problem}`).join('; '),
    hint: () =>
      'fix the request; /docs on the server describes each route, and the types of the library describe its calls',
  }),
  BODY_TOO_LARGE: entry<{ limitBytes: number }>({
    kind: 'user',
    summary: 'The body of a request is larger than the server accepts.',
    message: d => `the request body is too large; expected at most ${d.limitBytes} bytes`,
    hint: () => 'send less; put large files in the repository',
  }),
  MEDIA_TYPE_UNSUPPORTED: entry<{ found: string }>({
    kind: 'user',
    summary: 'The body of a request is not JSON.',
    message: d => `the request body is ${JSON.stringify(d.found)}; expected application/json`,
    hint: () => 'send JSON with the header `Content-Type: application/json`',
  }),
  TOO_MANY_REQUESTS: entry<{ retryAfterSeconds: number }>({
    kind: 'environment',
    summary: 'One address sent too many requests, or failed to authenticate too often.',
    message: () => 'too many requests from this address',
    hint: d => `wait ${d.retryAfterSeconds} s, then try again`,
  }),
  TOO_MANY_STREAMS: entry<{ limit: number }>({
    kind: 'environment',
    summary: 'The server already has its maximum number of open streams.',
    message: d => `${d.limit} streams are already open; the server allows no more`,
    hint: () => 'close some, or send the request without follow=true',
  }),
  ROUTE_NOT_FOUND: entry<{ method: string; path: string }>({
    kind: 'not-found',
    summary: 'The server has no route for the path and method of a request.',
    message: d => `there is no route ${d.method} ${d.path}`,
    hint: () => 'see /docs on the server for all routes',
  }),
  SERVER_STOPPING: entry<Record<string, never>>({
    kind: 'environment',
    summary: 'The server is stopping and accepts no more requests.',
    message: () => 'the server is stopping',
    hint: () => 'try again after it has restarted',
  }),
  PORT_TAKEN: entry<{ host: string; port: number }>({
    kind: 'environment',
    summary: 'Another process is listening on the port of the server.',
    message: d => `port ${d.port} of ${d.host} is already in use`,
    hint: () => 'a server may already be running; start another with: carrel serve --port 0',
  }),
  ADDRESS_UNUSABLE: entry<{ host: string; port: number; problem: string }>({
    kind: 'user',
    summary: 'The server cannot listen on the given address.',
    message: d => `cannot listen on port ${d.port} of ${d.host}: ${d.problem}`,
    hint: () => 'choose an address of this machine with --host and a port above 1023 with --port',
  }),
  TOKEN_FILE_UNUSABLE: entry<{ file: string; problem: string }>({
    kind: 'environment',
    summary: "Other users can read the server's token file, or it contains no token.",
    message: d => `cannot use the token in ${d.file}: ${d.problem}`,
    hint: d => `remove it to get a new one (rm ${d.file}), or make it private (chmod 600 ${d.file})`,
  }),
  REPOSITORY_NOT_ALLOWED: entry<{ repository: string; reason: string }>({
    kind: 'user',
    summary: 'A request names a repository that the server may not use.',
    message: d => `the repository ${JSON.stringify(d.repository)} is not allowed: ${d.reason}`,
    hint: () => 'choose another one, or allow its directory or URL prefix with: carrel serve --allow PLACE',
  }),
  REPOSITORY_UNAVAILABLE: entry<{ repository: string; reason: string }>({
    kind: 'environment',
    summary: 'The server could not fetch the repository URL of a request.',
    message: d => `cannot fetch ${d.repository}: ${d.reason}`,
    hint: () => "check the URL, and that git on the server's machine can fetch it without a prompt",
  }),
  TASK_DIFF_GONE: entry<{ id: string; problem: string }>({
    kind: 'not-found',
    summary: 'A task has no work to show as a diff: it has none yet, or it was removed.',
    message: d => `the task ${d.id} has no diff: ${d.problem}`,
    hint: d => `see the task with: carrel task show ${d.id}`,
  }),
  WORKTREE_IN_USE: entry<{ id: string; taskId: string; status: string }>({
    kind: 'conflict',
    summary: 'A worktree cannot be removed while its task is running.',
    message: d => `the worktree ${d.id} is in use: its task ${d.taskId} is ${d.status}`,
    hint: d =>
      `cancel the task first, with POST /api/tasks/${d.taskId}/cancel or: carrel task cancel ${d.taskId}`,
  }),
  IDEMPOTENCY_KEY_REUSED: entry<{ key: string; id: string }>({
    kind: 'conflict',
    summary: 'A request has the Idempotency-Key of an earlier request but a different body.',
    message: d =>
      `the Idempotency-Key ${JSON.stringify(d.key)} belongs to ${d.id}, whose request was different`,
    hint: () => 'use a new key for a new request',
  }),
} as const;
