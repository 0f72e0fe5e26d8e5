import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { carrelError, isMissing } from '../domain/error.js';
import type { RunRequest, SharedEnd } from './run.js';

/** A child that runs, so its pid is known. */
export type Child = ChildProcess & { readonly pid: number };

/** Starts the program itself, never a shell, so that no argument is ever read as anything else. */
export async function startChild(request: RunRequest): Promise<Child> {
  const nothing = openSync('/dev/null', 'r');
  try {
    const child = spawn(request.command, request.args, {
      cwd: request.cwd,
      env: { ...request.env },
      stdio: chooseStdio(request, nothing),
      // A session of its own: Ctrl-C does not reach it before we decide, the whole group can be signalled, and without
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
 * Node opens everything so that children do not get it, but what Carrel itself was started with (`carrel ... 99< file`)
 * goes on to every child: libuv closes only the first 16. Over those descriptors /dev/null is put, where the caller
 * cares. Not by `ignore`: above 2 that leaves a descriptor as it is (uv__process_child_init; seen with Node 20.20).
 */
function coverInherited(from: number, nothing: number): (number | 'ignore')[] {
  const inherited = new Set(listInherited());
  const length = Math.max(0, Math.max(-1, ...inherited) - from + 1);
  return Array.from({ length }, (_, index) => (inherited.has(from + index) ? nothing : 'ignore'));
}

const CLOSE_ON_EXEC = 0o2000000;

function listInherited(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number).filter(isInherited);
  } catch {
    // Without /proc nobody tells; those systems have no sandboxes either.
    return [];
  }
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

/** The system says the same ENOENT for a missing command and a missing working directory. */
function isMissingDirectory(error: unknown, cwd: string): boolean {
  if (!isMissing(error)) return false;
  return !statSync(cwd, { throwIfNoEntry: false })?.isDirectory();
}
