import { entry, formatList } from './entry.js';

export const inputErrors = {
  INVALID_NAME: entry<{ name: string; reason: string }>({
    kind: 'user',
    summary: 'A workspace name is not usable as a branch and a folder name.',
    message: d => `${JSON.stringify(d.name)} is not a workspace name: ${d.reason}`,
    hint: () => 'use 1 to 100 letters, digits, ".", "_", "-" or "/", beginning with a letter or digit',
  }),
  INVALID_DURATION: entry<{ value: string }>({
    kind: 'user',
    summary: 'A duration could not be read.',
    message: d =>
      `${JSON.stringify(d.value)} is not a duration; expected a number and a unit such as 90s, 15m, 12h or 7d`,
    hint: () => 'write it like 90s, 15m, 12h or 7d',
  }),
  INVALID_SIZE: entry<{ value: string }>({
    kind: 'user',
    summary: 'A size could not be read.',
    message: d =>
      `${JSON.stringify(d.value)} is not a size; expected a number and a unit such as 512k, 512m or 2g`,
    hint: () => 'write it like 512k, 512m or 2g',
  }),
  INVALID_INPUT: entry<{ what: string; found: string; expected: string }>({
    kind: 'user',
    summary: 'An argument, option or field has a value that is not accepted.',
    message: d => `${d.what} is ${d.found}; expected ${d.expected}`,
    hint: () => 'see `carrel --help` or `carrel COMMAND --help`',
  }),
  CONFLICTING_OPTIONS: entry<{ options: readonly string[] }>({
    kind: 'user',
    summary: 'Options that exclude each other were given together.',
    message: d => `${formatList(d.options)} exclude each other; expected one of them`,
    hint: () => 'leave all but one out',
  }),
  UNKNOWN_SCHEMA: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'not-found',
    summary: '`carrel schema` was asked for a name that it does not have.',
    message: d => `there is no schema ${JSON.stringify(d.name)}; expected one of ${formatList(d.known, 30)}`,
    hint: d => (d.nearest ? `carrel schema ${d.nearest}` : 'carrel schema'),
  }),
  UNKNOWN_TEMPLATE: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'not-found',
    summary: 'A template was named that neither ships nor is configured.',
    message: d =>
      `there is no template ${JSON.stringify(d.name)}; expected one of ${formatList(d.known, 30)}`,
    hint: d =>
      d.nearest
        ? `did you mean --template ${d.nearest}?`
        : 'add it under `templates:` in .carrel/config.yaml',
  }),
  COMMAND_FAILED: entry<{ command: string; exitCode: number | null }>({
    kind: 'failed',
    summary: 'A program that Carrel was asked to start ended with a failure.',
    message: d => `${d.command} ended with exit status ${d.exitCode ?? 'none (killed)'}`,
    hint: d => `try it by hand: ${d.command}`,
  }),
  COMMAND_TIMED_OUT: entry<{ command: string; limitMs: number; isOfSandbox?: boolean }>({
    kind: 'failed',
    summary: 'A command ran longer than its time limit and was ended with everything it started.',
    message: d => `${d.command} was ended after its time limit of ${d.limitMs} ms`,
    hint: d =>
      d.isOfSandbox
        ? 'make a workspace with a higher workspace.container.resourceLimits.time'
        : 'give it more time with --timeout',
  }),
  BAD_USAGE: entry<{ problem: string; command: string; suggestion?: string | undefined }>({
    kind: 'user',
    summary:
      'The command line could not be understood: an unknown option, a missing argument, or one too many.',
    message: d => d.problem,
    hint: d => d.suggestion ?? `see: ${d.command} --help`,
  }),
  UNKNOWN_COMMAND: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'user',
    summary: 'There is no command of that name.',
    message: d => `there is no command ${JSON.stringify(d.name)}`,
    hint: d => (d.nearest ? `did you mean: carrel ${d.nearest}` : 'list the commands with: carrel --help'),
  }),
  CONFIRMATION_NEEDED: entry<{ question: string; flag: string }>({
    kind: 'user',
    summary: 'A yes is needed and there is no terminal to ask on.',
    message: d => `${d.question}: this needs a yes, and there is no terminal to ask on`,
    hint: d => `look first, then say yes with ${d.flag}`,
  }),
  INTERRUPTED: entry<{ signal: string }>({
    kind: 'failed',
    summary:
      'The command was ended by SIGINT (exit status 130) or SIGTERM (143); what it had begun was undone.',
    message: d => `interrupted by ${d.signal}`,
    hint: () => 'run it again when you are ready',
  }),
} as const;
