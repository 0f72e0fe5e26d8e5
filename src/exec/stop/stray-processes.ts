import type { ProcessIdentity } from '../../domain/process-identity.js';
import { findProcessesInside } from '../inside/processes-inside.js';
import { readProcFile } from '../process/proc-table.js';
import { ancestorsOf, findProcess, systemProcesses } from '../process/process-table.js';
import { type KillOptions, killTree } from './kill-tree.js';

/** Kills strays with all their descendants; returns their number. */
export async function killStrays(
  directory: string,
  since: ProcessIdentity,
  options: KillOptions,
): Promise<number> {
  const strays = await findStrays(directory, since);
  await Promise.all(strays.map(stray => killTree(stray, options)));
  return strays.length;
}

/**
 * The living processes that use `directory` and can only be daemons of a program that ran there since `since`, although
 * they left its tree and wiped its environment (see process-tree.ts for all others): started since then, adopted by
 * init or by a subreaper among our ancestors, without a terminal and without variables of a user session. A shell, an
 * editor or a tmux that the user started there since is not included; neither is a daemon that kept more of its
 * environment or works elsewhere. Only on Linux, which shows all of that.
 */
async function findStrays(directory: string, since: ProcessIdentity): Promise<ProcessIdentity[]> {
  if (systemProcesses().name !== 'proc') return [];
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

/** The seventh field of proc_pid_stat(5), counted after the name, which may contain anything. */
function hasTerminal(pid: number): boolean {
  const stat = readProcFile(pid, 'stat') ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[4] !== '0';
}

/** Every login session has one of these, in a terminal or on a desktop; shells do not set them. */
const SESSION_VARIABLE =
  /(^|\0)(TERM|DISPLAY|WAYLAND_DISPLAY|XDG_SESSION_ID|XDG_RUNTIME_DIR|SSH_CONNECTION)=/;

/** An environment that can't be read is another user's. */
function isOfSession(pid: number): boolean {
  const environment = readProcFile(pid, 'environ');
  return environment === undefined || SESSION_VARIABLE.test(environment);
}
