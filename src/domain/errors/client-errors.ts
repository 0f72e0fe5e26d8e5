import { entry } from './entry.js';

/** What goes wrong on the way to a server, and with stories that are sent to one. */
export const clientErrors = {
  NO_SERVER: entry<Record<string, never>>({
    kind: 'user',
    summary: 'A command needs a server, and none was named.',
    message: () => 'no server is named',
    hint: () => 'start one with `carrel serve`, then name it with --server URL or CARREL_SERVER',
  }),
  SERVER_UNREACHABLE: entry<{ server: string; problem: string }>({
    kind: 'environment',
    summary: 'No server answers under the address that was named.',
    message: d => `no server answers at ${d.server} (${d.problem})`,
    hint: () => 'start one with `carrel serve`, or check the address',
  }),
  NOT_A_CARREL_SERVER: entry<{ server: string; problem: string }>({
    kind: 'user',
    summary: 'Something else than Carrel answers under the address that was named.',
    message: d => `what answers at ${d.server} is no server of Carrel: ${d.problem}`,
    hint: () => 'use the address that `carrel serve` printed, with http:// or https:// as it is there',
  }),
  SERVER_CERTIFICATE: entry<{ server: string; problem: string }>({
    kind: 'environment',
    summary: 'The certificate of the server is not trusted.',
    message: d => `the certificate of ${d.server} is not trusted (${d.problem})`,
    hint: () => 'check the address, or name the authority that signed it with NODE_EXTRA_CA_CERTS=FILE',
  }),
  SERVER_TOKEN_MISSING: entry<{ server: string; problem: string }>({
    kind: 'user',
    summary: 'There is no token to show to the server.',
    message: d => `there is no token for ${d.server}: ${d.problem}`,
    hint: () =>
      'start a server here with `carrel serve`; for another, name the file of its token with --token-file FILE or set CARREL_TOKEN',
  }),
  SERVER_TOKEN_REFUSED: entry<{ server: string; source: string }>({
    kind: 'user',
    summary: 'The server does not take the token that it was shown.',
    message: d => `${d.server} does not take the token of ${d.source}`,
    hint: () => 'use the token of that server: --token-file FILE, or CARREL_TOKEN',
  }),
  NOT_ON_A_SERVER: entry<{ options: readonly string[] }>({
    kind: 'user',
    summary: 'Options were given that a server does not take from others.',
    message: d => `${d.options.join(', ')} can't be asked of a server`,
    hint: d =>
      `leave ${d.options.length > 1 ? 'them' : 'it'} out, or call the command on the server's machine`,
  }),
  STORY_TWICE: entry<{ name: string; files: readonly string[] }>({
    kind: 'config',
    summary: 'Two stories that are to be run have the same name.',
    message: d => `the story ${JSON.stringify(d.name)} is there twice: ${d.files.join(', ')}`,
    hint: () => 'give each a name of its own; reports tell them apart by it',
  }),
  NO_STORIES: entry<{ place: string; problem: string }>({
    kind: 'user',
    summary: 'No story is left to run: there is none, or none has the tags that were asked for.',
    message: d => `no story to run in ${d.place}: ${d.problem}`,
    hint: () => 'see `carrel schema story` for what a story file holds',
  }),
  STORY_REPORT_UNUSABLE: entry<{ file: string; problem: string }>({
    kind: 'user',
    summary: 'The report of an earlier run of stories can not be read, or the new one not be written.',
    message: d => `the report ${d.file} can't be used: ${d.problem}`,
    hint: () => 'run all stories once, without --failed-only, or name another file with --report',
  }),
} as const;
