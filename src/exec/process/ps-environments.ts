import type { ProcessSource, ProcessVariables } from './process-source.js';
import type { SystemProgram } from './system-program.js';

/**
 * The environments of processes from `ps`, which prints them after the command line (on FreeBSD before it), separated
 * only by a space. So `ps` runs twice, and what only the second output has is the environment; a process that became
 * another program in between has none. macOS shows only our own processes, and not those of programs under System
 * Integrity Protection.
 */
export function createPsEnvironments(run: SystemProgram): ProcessSource['readEnvironments'] {
  let known: readonly string[] | undefined;
  return () => {
    const commands = readPsCommands(run);
    for (const options of known ? [known] : WITH_ENVIRONMENT) {
      const { status, stdout } = run('ps', options);
      if (status !== 0) continue;
      known = options;
      const both = parseCommands(stdout);
      return pid => findEnvironment(commands.get(pid), both.get(pid));
    }
    return () => undefined;
  };
}

/** Only the command lines. */
export const readPsCommands = (run: SystemProgram): Map<number, string> =>
  parseCommands(run('ps', PLAIN).stdout);

const COLUMNS = ['-o', 'pid=', '-o', 'command='];
const PLAIN = ['-axww', ...COLUMNS];

/** `-E` is for macOS. Linux has `e` without a dash, which means "all processes" on macOS; on FreeBSD both mean that. */
const WITH_ENVIRONMENT = [
  ['-axEww', ...COLUMNS],
  ['axeww', ...COLUMNS],
];

function parseCommands(output: string): Map<number, string> {
  const lines = output.split('\n').map(line => /^\s*(\d+) (.*)$/.exec(line));
  return new Map(lines.flatMap(match => (match ? [[Number(match[1]), match[2] ?? '']] : [])));
}

function findEnvironment(
  command: string | undefined,
  both: string | undefined,
): ProcessVariables | undefined {
  if (command === undefined || both === undefined || both.length <= command.length) return undefined;
  if (both.startsWith(`${command} `)) return separate(both.slice(command.length + 1));
  if (both.endsWith(` ${command}`)) return separate(both.slice(0, -command.length - 1));
  return undefined;
}

/** A space before `NAME=` starts the next variable. A value can contain that too, but the process chose it itself. */
const separate = (text: string): ProcessVariables =>
  `\0${text.replaceAll(/ (?=[A-Za-z_][A-Za-z0-9_]*=)/g, '\0')}\0`;
