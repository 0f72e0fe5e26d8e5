import { COMMAND_ID_VARIABLE } from '../../../exec/process/process-tree.js';

/**
 * How a command is passed to the engine: arguments of `exec` after the container, and variables of the engine's own
 * process.
 */
export interface ScriptedCommand {
  readonly flags: readonly string[];
  readonly words: readonly string[];
  /** Variables of the engine's own process, which it passes on: every user of the machine can read arguments. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface ScriptOptions {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly commandId: string;
  /** The start of lines in which the script reports; undefined when standard error is not read by us. */
  readonly reportMark: string | undefined;
}

/** The first character of a report; programs have no reason to print it. */
export const REPORT_START = '\x1e';

/**
 * Wraps a command in a small shell script. An engine's exit status alone does not show whether the command ran: both
 * the engine and the command use 125, 126, 127 and 1. The script reports that it runs and how the command exited, and
 * gives it the requested environment without what engines add.
 */
export function scriptCommand({
  command,
  environment,
  commandId,
  reportMark,
}: ScriptOptions): ScriptedCommand {
  const entries = Object.entries(environment).filter(([name]) => name !== COMMAND_ID_VARIABLE);
  const carried = entries.filter(([name]) => canBeExported(name));
  const open = entries.filter(([name]) => !canBeExported(name));
  const carrier = (at: number) => `CARREL_VALUE_${at}`;
  const lines = [
    `unset ${ADDED.join(' ')}`,
    ...carried.map(([name], at) => `export ${name}="$${carrier(at)}"; unset ${carrier(at)}`),
    ...(reportMark === undefined ? ['exec "$@"'] : reportingLines(reportMark)),
  ];
  return {
    // The script has the marker too: code that stops the command finds the script by it.
    flags: [`${COMMAND_ID_VARIABLE}=${commandId}`, ...open.map(([name, value]) => `${name}=${value}`)]
      .concat(carried.map((_, at) => carrier(at)))
      .flatMap(variable => ['--env', variable]),
    words: ['sh', '-c', lines.join('\n'), 'sh', ...command],
    secrets: Object.fromEntries(carried.map(([, value], at) => [carrier(at), value])),
  };
}

/**
 * In a subshell, because `exec` finds only programs: a command called `exit` is a program too. Its standard error is
 * redirected meanwhile: messages of the shell itself, such as "Terminated", are not the command's.
 */
function reportingLines(mark: string): string[] {
  const report = (what: string) => `printf '\\036${mark} %s\\n' ${what} >&3`;
  return [
    // On SIGTERM it stays to report how the command exited. In the subshell a trap is gone again.
    'trap : HUP INT TERM',
    'exec 3>&2 2>/dev/null',
    report('started'),
    '( exec 2>&3 3>&-; exec "$@" )',
    'carrel_status=$?',
    report('$carrel_status'),
    'exit $carrel_status',
  ];
}

/**
 * Added by engines and by the shell. An image's own variables stay, as do those of the policy, which are set
 * afterwards.
 */
const ADDED = [
  'container',
  'HOME',
  'HOSTNAME',
  'TERM',
  'PWD',
  'OLDPWD',
  'SHLVL',
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap(name => [
    name,
    name.toLowerCase(),
  ]),
];

/** bash, which is `sh` in some images, aborts a script that sets one of these. */
const READ_ONLY = new Set(['UID', 'EUID', 'PPID', 'BASHOPTS', 'SHELLOPTS', 'BASH_VERSINFO']);

const canBeExported = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !READ_ONLY.has(name);
