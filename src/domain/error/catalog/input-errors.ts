import { formatLimit } from '../../text/format-quantity.js';
import { entry, formatList } from './catalog-entry.js';

export const inputErrors = {
  INVALID_NAME: entry<{ name: string; reason: string }>({
    kind: 'user',
    summary: 'A workspace name cannot be used as a branch and directory name.',
    message: d => `${JSON.stringify(d.name)} is not a valid workspace name: ${d.reason}`,
    hint: () => 'use 1 to 100 letters, digits, ".", "_", "-" or "/", starting with a letter or digit',
  }),
  INVALID_DURATION: entry<{ value: string; option?: string | undefined }>({
    kind: 'user',
    summary: 'A duration has the wrong format.',
    message: d =>
      `${d.option === undefined ? '' : `${d.option}: `}${JSON.stringify(d.value)} is not a duration; expected a number and a unit such as 90s, 15m, 12h or 7d`,
    hint: () => 'write it like 90s, 15m, 12h or 7d',
  }),
  INVALID_SIZE: entry<{ value: string }>({
    kind: 'user',
    summary: 'A size has the wrong format.',
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
    summary: 'Options that cannot be combined were given together.',
    message: d => `${formatList(d.options)} can't be combined; expected only one of them`,
    hint: () => 'keep one and leave out the others',
  }),
  UNKNOWN_SCHEMA: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'not-found',
    summary: '`carrel schema` has no schema with that name.',
    message: d => `there is no schema ${JSON.stringify(d.name)}; expected one of ${formatList(d.known, 30)}`,
    hint: d => (d.nearest ? `carrel schema ${d.nearest}` : 'carrel schema'),
  }),
  UNKNOWN_TEMPLATE: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'not-found',
    summary: 'The template is neither built in nor configured.',
    message: d =>
      `there is no template ${JSON.stringify(d.name)}; expected one of ${formatList(d.known, 30)}`,
    hint: d =>
      d.nearest
        ? `did you mean --template ${d.nearest}?`
        : 'add it under `templates:` in .carrel/config.yaml',
  }),
  COMMAND_FAILED: entry<{ command: string; exitCode: number | null }>({
    kind: 'failed',
    summary: 'A program that Carrel started failed.',
    message: d => `${d.command} failed with exit status ${d.exitCode ?? 'none (killed)'}`,
    hint: d => `run it yourself: ${d.command}`,
  }),
  COMMAND_TIMED_OUT: entry<{ command: string; limitMs: number; isOfSandbox?: boolean }>({
    kind: 'failed',
    summary: 'A command exceeded its time limit and was killed with everything it started.',
    message: d => `${d.command} was killed after its time limit of ${formatLimit(d.limitMs)}`,
    hint: d =>
      d.isOfSandbox
        ? 'create a workspace with a higher workspace.container.resourceLimits.time'
        : 'give it more time with --timeout',
  }),
  BAD_USAGE: entry<{ problem: string; command: string; suggestion?: string | undefined }>({
    kind: 'user',
    summary: 'The command line is invalid: an unknown option, a missing argument, or too many arguments.',
    message: d => d.problem,
    hint: d => d.suggestion ?? `see: ${d.command} --help`,
  }),
  UNKNOWN_COMMAND: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'user',
    summary: 'There is no command with that name.',
    message: d => `there is no command ${JSON.stringify(d.name)}`,
    hint: d => (d.nearest ? `did you mean: carrel ${d.nearest}` : 'list the commands with: carrel --help'),
  }),
  CONFIRMATION_NEEDED: entry<{ question: string; flag: string }>({
    kind: 'user',
    summary: 'The command needs confirmation and there is no terminal.',
    message: d => `${d.question}: this needs confirmation and there is no terminal; pass ${d.flag}`,
    hint: d => `review it, then run the command again with ${d.flag}`,
  }),
  INTERRUPTED: entry<{ signal: string }>({
    kind: 'failed',
    summary:
      'The command was interrupted by SIGINT (exit status 130) or SIGTERM (143). Its unfinished work was undone.',
    message: d => `interrupted by ${d.signal}`,
    hint: () => 'run the command again',
  }),
} as const;
