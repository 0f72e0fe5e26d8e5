import type { ProcessIdentity } from '../domain/process-identity.js';
import { findProcessesInside } from './inside.js';
import { type KillOptions, killTree } from './kill-tree.js';
import { readProcFile } from './proc-table.js';
import { ancestorsOf, findProcess, hasProc } from './process-table.js';

/** Ends strays with everything that stems from them; gives how many there were. */
export async function endStrays(
  directory: string,
  since: ProcessIdentity,
  options: KillOptions,
): Promise<number> {
  const strays = await findStrays(directory, since);
  await Promise.all(strays.map(stray => killTree(stray, options)));
  return strays.length;
}

/**
 * The living processes that hold on to `directory` and can only be daemons of a program that ran there from `since` on,
 * although they have left its tree and wiped its environment (see process-tree.ts for all others): begun since then,
 * handed over to init or to whoever takes in orphans among our callers, with no terminal and nothing of a user's session
 * in their environment. A shell, an editor or a tmux that somebody has started there meanwhile is none of them; neither
 * is a daemon that has kept more of its environment, or works elsewhere. Only on Linux, which shows all of that.
 */
async function findStrays(directory: string, since: ProcessIdentity): Promise<ProcessIdentity[]> {
  if (!hasProc()) return [];
  const inside = (await findProcessesInside(directory)).map(({ identity }) => identity);
  if (inside.length === 0) return [];
  const callers = ancestorsOf(process.pid);
  const takers = new Set([1, ...callers]);
  return inside.filter(
    ({ pid, startedAt }) =>
      !callers.includes(pid) &&
      // Ticks since the boot.
      Number(startedAt) >= Number(since.startedAt) &&
      takers.has(findProcess(pid)?.parent ?? 0) &&
      !hasTerminal(pid) &&
      !isOfSession(pid),
  );
}

/** The seventh field of proc_pid_stat(5), counted from behind the name, which may hold anything. */
function hasTerminal(pid: number): boolean {
  const stat = readProcFile(pid, 'stat') ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[4] !== '0';
}

/** Somebody who logs in has one of these, in a terminal or in front of a screen; shells don't make them up. */
const SESSION_VARIABLE =
  /(^|\0)(TERM|DISPLAY|WAYLAND_DISPLAY|XDG_SESSION_ID|XDG_RUNTIME_DIR|SSH_CONNECTION)=/;

/** An environment that can't be read is another user's. */
function isOfSession(pid: number): boolean {
  const environment = readProcFile(pid, 'environ');
  return environment === undefined || SESSION_VARIABLE.test(environment);
}
