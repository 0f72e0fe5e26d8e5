import type { SlotRecord } from '../../domain/workspace/slot.js';
import { findProcessesInside } from '../../exec/inside/processes-inside.js';
import { systemProcesses } from '../../exec/process/process-table.js';
import { COMMAND_ID_VARIABLE } from '../../exec/process/process-tree.js';
import { killProcesses, killTree } from '../../exec/stop/kill-tree.js';

/** Time between asking a process to stop and killing it. */
const GRACE_MS = 2000;

/** Gives up when processes start faster than they can be killed. */
const MOST_ROUNDS = 3;

/** A slot, or another directory that is worked in under an id. */
export interface Workplace extends Pick<SlotRecord, 'directory'> {
  readonly lease: { readonly id: string } | null;
}

/**
 * Kills every process in a slot, and every process with the lease's id as CARREL_COMMAND_ID anywhere, and verifies
 * that they are dead. Returns what is still alive, as text, or null.
 */
export async function endProcesses({ directory, lease }: Workplace): Promise<string | null> {
  const survivors = lease && isCarried(lease.id) ? await endMarked(lease.id) : [];
  if (survivors.length > 0) return `processes that cannot be killed: ${survivors.join(', ')}`;
  for (let round = 1; ; round++) {
    const inside = await findProcessesInside(directory);
    if (inside.length === 0) return null;
    const names = inside.map(({ identity, command }) => `${identity.pid} (${command})`);
    if (round > MOST_ROUNDS) return `processes that cannot be killed run in it: ${names.join(', ')}`;
    const identities = inside.map(({ identity }) => identity);
    await killProcesses(identities, { graceMs: GRACE_MS });
  }
}

/** One look at the table, where `killTree` takes several: most leases end with nothing running. */
function isCarried(leaseId: string): boolean {
  const variable = `\0${COMMAND_ID_VARIABLE}=${leaseId}\0`;
  const source = systemProcesses();
  const environmentOf = source.readEnvironments();
  return source.pids().some(pid => environmentOf(pid)?.includes(variable));
}

/** The marker alone leads to them: this process continues, so its own tree is not followed. */
async function endMarked(leaseId: string): Promise<readonly number[]> {
  const root = { pid: process.pid, startedAt: 'another' };
  return (await killTree(root, { graceMs: GRACE_MS, marker: leaseId })).survivors;
}
