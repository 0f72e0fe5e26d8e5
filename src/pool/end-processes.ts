import type { SlotRecord } from '../domain/slot.js';
import { findProcessesInside } from '../exec/inside.js';
import { killProcesses, killTree } from '../exec/kill-tree.js';
import { listProcPids, readProcFile } from '../exec/proc-table.js';
import { hasProc } from '../exec/process-table.js';
import { COMMAND_ID_VARIABLE } from '../exec/process-tree.js';

/** Time between asking a process to end and ending it. */
const GRACE_MS = 2000;

/** Somebody who starts processes faster than they are ended is given up on. */
const MOST_ROUNDS = 3;

/** A slot, or another directory that is worked in under an id. */
export interface Workplace extends Pick<SlotRecord, 'directory'> {
  readonly lease: { readonly id: string } | null;
}

/**
 * Ends whatever works in a slot, and whatever carries the lease's id as CARREL_COMMAND_ID wherever it works, and makes
 * sure that it is dead. Gives what is still alive, in words, or null.
 */
export async function endProcesses({ directory, lease }: Workplace): Promise<string | null> {
  const survivors = lease && isCarried(lease.id) ? await endMarked(lease.id) : [];
  if (survivors.length > 0) return `processes that do not end: ${survivors.join(', ')}`;
  for (let round = 1; ; round++) {
    const inside = await findProcessesInside(directory);
    if (inside.length === 0) return null;
    const names = inside.map(({ identity, command }) => `${identity.pid} (${command})`);
    if (round > MOST_ROUNDS) return `processes that do not end work in it: ${names.join(', ')}`;
    const identities = inside.map(({ identity }) => identity);
    await killProcesses(identities, { graceMs: GRACE_MS });
  }
}

/** One look at the table, where `killTree` takes several: most leases end with nothing running. */
function isCarried(leaseId: string): boolean {
  const variable = `\0${COMMAND_ID_VARIABLE}=${leaseId}\0`;
  return (
    hasProc() && listProcPids().some(pid => `\0${readProcFile(pid, 'environ') ?? ''}\0`.includes(variable))
  );
}

/** The marker alone leads to them: this process goes on, so its own tree is not followed. */
async function endMarked(leaseId: string): Promise<readonly number[]> {
  const root = { pid: process.pid, startedAt: 'another' };
  return (await killTree(root, { graceMs: GRACE_MS, marker: leaseId })).survivors;
}
