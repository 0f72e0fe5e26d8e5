import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { SharedEnd } from '../../domain/command/command.js';
import { carrelError, isMissing } from '../../domain/error/error.js';
import { hasProc } from '../process/has-proc.js';
import type { RunRequest } from '../run-process.js';

/** A running child, so its pid is known. */
export type Child = ChildProcess & { readonly pid: number };

/** Starts the program itself, never a shell, so that no argument is ever interpreted. */
export async function startChild(request: RunRequest): Promise<Child> {
  const nothing = openSync('/dev/null', 'r');
  try {
    const child = spawn(request.command, request.args, {
      cwd: request.cwd,
      env: environmentIn(request),
      stdio: chooseStdio(request, nothing),
      // Its own session: Ctrl-C does not reach it before we decide, the whole group can be signalled, and without
      // a controlling terminal no ssh or git below it can open /dev/tty to ask for a password.
      detached: request.output !== 'inherit',
    });
    await once(child, 'spawn');
    for (const end of [request.stdin, request.output]) if (isShared(end)) end.share.destroy();
    return child as Child;
  } catch (error) {
    throw isMissingDirectory(error, request.cwd)
      ? carrelError('NO_SUCH_DIRECTORY', { path: request.cwd }, error)
      : error;
  } finally {
    closeSync(nothing);
  }
}

/** PWD must be the directory that the program starts in: some programs trust it more than the system. */
function environmentIn({ env, cwd }: Pick<RunRequest, 'env' | 'cwd'>): Record<string, string> {
  const { OLDPWD: _, ...others } = env;
  return env.PWD === undefined ? others : { ...others, PWD: cwd };
}

function chooseStdio(request: RunRequest, nothing: number): StdioOptions {
  const { stdin, output, handedOver, descriptors, join } = request;
  const input = join ? 'pipe' : stdin === undefined ? 'ignore' : stdin === 'inherit' ? 'inherit' : 'pipe';
  const sink = (name: 'stdout' | 'stderr') =>
    output === 'inherit' || handedOver?.includes(name) ? 'inherit' : 'pipe';
  const standard = [
    isShared(stdin) ? stdin.share : input,
    isShared(output) ? output.share : sink('stdout'),
    sink('stderr'),
  ];
  if (!descriptors) return standard as StdioOptions;
  const given = [...standard, ...descriptors] as Exclude<StdioOptions, string>;
  return [...given, ...coverInherited(given.length, nothing)];
}

/**
 * Node opens files so that children do not inherit them, but descriptors that Carrel itself was started with (`carrel
 * ... 99< file`) reach every child: libuv closes only the first 16. Where the caller requests it, they are replaced
 * with /dev/null. `ignore` does not work: above 2 it leaves a descriptor unchanged (uv__process_child_init; observed
 * with Node 20.20).
 */
function coverInherited(from: number, nothing: number): (number | 'ignore')[] {
  const inherited = new Set(listInherited());
  const length = Math.max(0, Math.max(-1, ...inherited) - from + 1);
  return Array.from({ length }, (_, index) => (inherited.has(from + index) ? nothing : 'ignore'));
}

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Without /proc the flags can't be read, so all open descriptors are listed; replacing one of Node's own in the child
 * has no effect.
 */
export function listInherited(isLinux = hasProc()): number[] {
  if (isLinux) return readdirSync('/proc/self/fdinfo').map(Number).filter(isInherited);
  return readdirSync('/dev/fd')
    .map(Number)
    .filter(descriptor => descriptor > 2);
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return descriptor > 2 && (Number.parseInt(flags ?? '0', 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed since it was listed.
    return false;
  }
}

const isShared = (end: RunRequest['stdin'] | RunRequest['output']): end is SharedEnd =>
  typeof end === 'object' && 'share' in end;

/** The system reports ENOENT for a missing command and for a missing working directory. */
function isMissingDirectory(error: unknown, cwd: string): boolean {
  if (!isMissing(error)) return false;
  return !statSync(cwd, { throwIfNoEntry: false })?.isDirectory();
}
