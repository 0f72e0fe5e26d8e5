import { entry, formatLatest, formatList } from './catalog-entry.js';

/** Errors of reaching a server, and of the stories sent to one. */
export const clientErrors = {
  NO_SERVER: entry<Record<string, never>>({
    kind: 'user',
    summary: 'A command needs a server, and none is set.',
    message: () => 'no server is set',
    hint: () => 'start one with `carrel serve`, then set --server URL or CARREL_SERVER',
  }),
  SERVER_UNREACHABLE: entry<{ server: string; problem: string }>({
    kind: 'environment',
    summary: 'No server answers at the given address.',
    message: d => `no server answers at ${d.server} (${d.problem})`,
    hint: () => 'start one with `carrel serve`, or check the address',
  }),
  NOT_A_CARREL_SERVER: entry<{ server: string; problem: string }>({
    kind: 'user',
    summary: 'The server at the given address is not Carrel.',
    message: d => `the server at ${d.server} is not Carrel: ${d.problem}`,
    hint: () => 'use the address that `carrel serve` printed, including http:// or https://',
  }),
  SERVER_CERTIFICATE: entry<{ server: string; problem: string }>({
    kind: 'environment',
    summary: 'The certificate of the server is not trusted.',
    message: d => `the certificate of ${d.server} is not trusted (${d.problem})`,
    hint: () => 'check the address, or trust the authority that signed it with NODE_EXTRA_CA_CERTS=FILE',
  }),
  SERVER_TOKEN_MISSING: entry<{ server: string; problem: string }>({
    kind: 'user',
    summary: 'There is no token for the server.',
    message: d => `there is no token for ${d.server}: ${d.problem}`,
    hint: () =>
      'start a server here with `carrel serve`; for another server, pass its token with --token-file FILE or CARREL_TOKEN',
  }),
  SERVER_TOKEN_REFUSED: entry<{ server: string; source: string }>({
    kind: 'user',
    summary: 'The server rejected the token.',
    message: d => `${d.server} rejected the token from ${d.source}`,
    hint: () => 'use the token of that server: --token-file FILE, or CARREL_TOKEN',
  }),
  NOT_ON_A_SERVER: entry<{ options: readonly string[] }>({
    kind: 'user',
    summary: 'The given options do not work with --server.',
    message: d => `${d.options.join(', ')} can't be used with a server`,
    hint: d =>
      `leave ${d.options.length > 1 ? 'them' : 'it'} out, or run the command on the server's machine`,
  }),
  STORY_TWICE: entry<{ name: string; files: readonly string[] }>({
    kind: 'config',
    summary: 'Two of the stories to run have the same name.',
    message: d => `two stories are named ${JSON.stringify(d.name)}: ${d.files.join(', ')}`,
    hint: () => 'give each story its own name; reports refer to stories by name',
  }),
  NO_STORIES: entry<{ place: string; problem: string }>({
    kind: 'user',
    summary: 'No story is left to run: there is none, or none has the requested tags.',
    message: d => `no story to run in ${d.place}: ${d.problem}`,
    hint: () => 'see `carrel schema story` for the format of a story file',
  }),
  STORY_REPORT_UNUSABLE: entry<{ file: string; problem: string }>({
    kind: 'user',
    summary: 'The report of an earlier story run cannot be read, or the new one cannot be written.',
    message: d => `cannot use the report ${d.file}: ${d.problem}`,
    hint: () => 'run all stories once without --failed-only, or choose another file with --report',
  }),
  STORY_RUN_NOT_FOUND: entry<{ name: string; known: readonly string[] }>({
    kind: 'not-found',
    summary: 'No story run has that id or id prefix, and no report file is there.',
    message: d => `there is no story run ${JSON.stringify(d.name)}; ${formatLatest(d.known)}`,
    hint: () => 'list them with: carrel story ls',
  }),
  STORY_RUN_AMBIGUOUS: entry<{ name: string; matches: readonly string[] }>({
    kind: 'user',
    summary: 'An id prefix matches several story runs.',
    message: d => `${JSON.stringify(d.name)} matches several story runs: ${formatList(d.matches)}`,
    hint: () => 'use more characters of the id',
  }),
} as const;
