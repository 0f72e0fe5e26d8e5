import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, readSync, statSync, unlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Enclosure } from './pid-namespace.js';
import { type RunRequest, type RunResult, runProcess } from './run.js';

export interface EnclosedResult extends RunResult {
  /** Processes that the program left running; undefined when nobody could count them, because all was killed. */
  readonly leftovers: number | undefined;
}

/**
 * Runs a program in a pid namespace of its own. When it is through, whatever it left is asked to end, and killed when
 * `graceMs` are over; the kernel lets the first process of a namespace end only when all others are dead. So nobody gets
 * away: not by another session, another parent, another directory or an empty environment. A program that a signal
 * ended has exit status 128 and the signal's number, as in a shell. `scratch` is a directory for a file that is
 * gone at once.
 */
export async function runEnclosed(
  enclosure: Enclosure,
  request: RunRequest,
  scratch: string,
): Promise<EnclosedResult> {
  const program = findExecutable(request);
  // It can't be started either way; without a shell in between the error says why.
  if (program === undefined) return { ...(await runProcess(request)), leftovers: undefined };
  const report = openUnnamed(scratch);
  try {
    const [command = '', ...args] = [...enclosure, ...firstProcess(request), program, ...request.args];
    const result = await runProcess({ ...request, command, args, descriptors: [report] });
    const isCounted = result.signal === null && result.exitCode !== null;
    return { ...result, leftovers: isCounted ? readCount(report) : undefined };
  } finally {
    closeSync(report);
  }
}

/** A file that only who inherits it can reach. */
function openUnnamed(directory: string): number {
  const path = join(directory, `.carrel-${randomUUID()}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return descriptor;
}

const firstProcess = ({ graceMs = DEFAULT_GRACE_MS }: RunRequest): string[] => [
  '/bin/sh',
  '-c',
  FIRST_PROCESS,
  'sh',
  String(Math.ceil(graceMs / ROUND_MS)),
];

const DEFAULT_GRACE_MS = 2000;
/** Between two looks whether what was asked to end has ended. */
const ROUND_MS = 50;

/**
 * Its own words go nowhere: a shell remarks upon how programs end. The report is written when nobody is left who could
 * write it too. Without shared mounts the namespace has copies of all, and the kernel refuses to mount an exclusive
 * overlay again (see overlay-mount.ts) while there is a copy: those that are none of ours are let go.
 */
const FIRST_PROCESS = `
exec 4>&2 2> /dev/null
while read -r source target type options rest; do
  case "$type,$options," in
    overlay,*,index=on,*) case "$PWD/" in "$target"/*) ;; *) umount -n -l -- "$target" ;; esac ;;
  esac
done < /proc/self/mounts
rounds=$1
shift
(exec "$@" 2>&4 3>&- 4>&-)
status=$?
count() {
  living=0
  for stat in /proc/[0-9]*/stat; do
    read -r line < "$stat" || continue
    case "$line" in '1 '*|*') Z '*|*') X '*) ;; *) living=$((living + 1)) ;; esac
  done
}
count
if [ "$living" -gt 0 ]; then
  found=$living
  kill -s TERM -- -1
  while [ "$living" -gt 0 ] && [ "$rounds" -gt 0 ]; do
    sleep ${ROUND_MS / 1000}
    rounds=$((rounds - 1))
    count
  done
  kill -s KILL -- -1
  echo "$found" >&3
fi
exit "$status"
`;

/** With a path, so that the shell does not take its own `exit` or `test` for it; as found, because names matter. */
function findExecutable({ command, cwd, env }: RunRequest): string | undefined {
  if (command.includes('/')) return isExecutable(resolve(cwd, command)) ? resolve(cwd, command) : undefined;
  const entries = (env.PATH ?? '').split(':');
  return entries.map(entry => resolve(cwd, entry, command)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us.
    return false;
  }
}

function readCount(report: number): number {
  const content = Buffer.alloc(20);
  const length = readSync(report, content, 0, content.length, 0);
  return Number.parseInt(content.toString('latin1', 0, length), 10) || 0;
}
