import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandResult } from '../../domain/command/command.js';
import { carrelError } from '../../domain/error/error.js';
import { type RunRequest, runProcess } from '../run-process.js';
import { carryThroughShell } from './carry-through-shell.js';
import type { Enclosure } from './pid-namespace.js';

/**
 * Runs a program in its own pid namespace. When it exits, everything it left gets SIGTERM, and SIGKILL after `graceMs`; the kernel lets
 * the first process of a namespace exit only when all others are dead. So no process escapes:
 * not by another session, another parent, another directory or an empty environment. A program that a signal
 * ended has exit status 128 and the signal's number, as in a shell. `scratch` is a directory for a file that is
 * gone at once. `leftovers` is undefined when they were killed before being counted.
 */
export async function runEnclosed(
  enclosure: Enclosure,
  request: RunRequest,
  scratch: string,
): Promise<CommandResult> {
  const program = findExecutable(request);
  // It can't be started in either case; without the shell in between the error says why.
  if (program === undefined) return { ...(await runProcess(request)), leftovers: undefined };
  const report = openUnnamed(scratch);
  try {
    const { env, run } = carryThroughShell(request.env);
    const first = firstProcess(run, request);
    const [command = '', ...args] = [...enclosure, ...first, program, ...request.args];
    const result = await runProcess({ ...request, command, args, env, descriptors: [report] });
    if (result.signal !== null || result.exitCode === null) return { ...result, leftovers: undefined };
    const leftovers = readCount(report);
    if (leftovers === undefined && !result.timedOut && !result.cancelled) throw refused(result);
    return { ...result, leftovers };
  } finally {
    closeSync(report);
  }
}

/** A file reachable only by inheritance. Its space is allocated before anything runs that may fill the disk. */
function openUnnamed(directory: string): number {
  const path = join(directory, `.carrel-${randomUUID()}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  try {
    writeSync(descriptor, BLANK, 0);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

const BLANK = ' '.repeat(32);

const firstProcess = (run: string, { graceMs = DEFAULT_GRACE_MS }: RunRequest): string[] => [
  '/bin/sh',
  '-c',
  describeFirst(run),
  'sh',
  String(Math.ceil(graceMs / ROUND_MS)),
];

const DEFAULT_GRACE_MS = 2000;
/** For the script's own programs, so that others with the same names are not used; also the default without a PATH. */
const SYSTEM_PATH = '/usr/bin:/bin';
const BEGUN = 'begun';
/** Interval for checking whether processes have exited after SIGTERM. */
const ROUND_MS = 50;

/**
 * Its own messages are dropped: a shell comments on how programs exit. The report says that it has started, because creating the
 * namespace may have failed with any exit status, and at its end, when no other process can write it, how many there were. No variable
 * is set before the program runs, which may have one of that name.
 *
 * Without shared mounts the namespace has copies of all, and the kernel refuses to mount an exclusive overlay again (see
 * overlay-mount.ts) while there is a copy: those that are not ours are dropped. Their paths are written as printf(1)
 * reads them, a space as \\040. After the last parenthesis of a process's line comes its state; before, the name that it
 * has given itself.
 */
const describeFirst = (run: string): string => `
exec 4>&2 2> /dev/null
echo ${BEGUN} >&3
(
  PATH=${SYSTEM_PATH}:$PATH
  while read -r source target type options rest; do
    case "$type,$options," in overlay,*,index=on,*) ;; *) continue ;; esac
    case "$target" in *%*) ;; *) target=$(printf "$target") ;; esac
    case "$(pwd -P)/" in "$target"/*) ;; *) umount -n -l -- "$target" ;; esac
  done < /proc/self/mounts
)
(shift; ${run} 2>&4 3>&- 4>&-)
status=$?
PATH=${SYSTEM_PATH}:$PATH
rounds=$1
count() {
  living=0
  for stat in /proc/[0-9]*/stat; do
    read -r line < "$stat" || continue
    case "\${line%% *} \${line##*) }" in '1 '*|*' Z '*|*' X '*) ;; *) living=$((living + 1)) ;; esac
  done
}
count
found=$living
if [ "$living" -gt 0 ]; then
  kill -s TERM -- -1
  while [ "$living" -gt 0 ] && [ "$rounds" -gt 0 ]; do
    sleep ${ROUND_MS / 1000}
    rounds=$((rounds - 1))
    count
  done
  kill -s KILL -- -1
fi
echo "$found" >&3
exit "$status"
`;

/**
 * With a path, so that the shell does not use its own `exit` or `test`; the path is not resolved, because some programs
 * depend on their name.
 */
function findExecutable({ command, cwd, env }: RunRequest): string | undefined {
  if (command.includes('/')) return isExecutable(resolve(cwd, command)) ? resolve(cwd, command) : undefined;
  const entries = (env.PATH ?? SYSTEM_PATH).split(':');
  return entries.map(entry => resolve(cwd, entry, command)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Missing, or no permission.
    return false;
  }
}

/**
 * Undefined when the first process has not even started. What other processes may have written before or after is
 * ignored.
 */
function readCount(report: number): number | undefined {
  const content = Buffer.alloc(BLANK.length);
  readSync(report, content, 0, content.length, 0);
  const text = content.toString('latin1');
  return text === BLANK ? undefined : Number.parseInt(text.slice(`${BEGUN}\n`.length), 10) || 0;
}

const refused = ({ exitCode, stderr }: CommandResult) =>
  carrelError('PID_NAMESPACE_FAILED', { exitCode, problem: stderr.toString('utf8').trim() });
