import { existsSync } from 'node:fs';
import { Finding } from '../finding.js';
import type { Machine } from '../machine/machine.js';
import { runCarrel } from '../machine/run-carrel.js';
import { readSettledRecords } from '../machine/settled-records.js';
import type { Model } from '../model/model.js';

/**
 * After a loss of the records: the next command notices the loss, and `doctor --repair` restores all of them. An
 * older database has workspaces that are long gone; these are removed from it by hand.
 */
export async function forgetOldRecords(machine: Machine, model: Model, how: string): Promise<void> {
  const run = async (...args: string[]) =>
    (await runCarrel(machine, { args, cwd: machine.repository })).outcome;
  const isOfGit = [...model.workspaces.values(), ...model.snapshots.values()].some(
    ({ kind }) => kind !== 'copy',
  );
  const noticed = await run('ls');
  if (how !== 'older' && isOfGit && !noticed.stderr.includes('doctor --repair'))
    throw new Finding('answer', `the records are ${how}, and carrel ls does not say so: ${noticed.stderr}`);
  const repaired = await run('doctor', '--repair');
  if (repaired.signal || /^\s+at .+:\d+:\d+\)?$/m.test(repaired.stderr))
    throw new Finding('answer', `carrel doctor --repair broke: ${repaired.stderr}`);
  const stale = readSettledRecords(machine).workspaces.filter(
    ({ id, path }) => !model.workspaces.has(id) && !existsSync(path),
  );
  for (const { id } of stale) await run('down', id, '--discard-changes', '--discard-commits');
}
