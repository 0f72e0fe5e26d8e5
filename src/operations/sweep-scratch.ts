import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findProcess } from '../exec/process-table.js';
import { removeTree } from '../workspace/remove-tree.js';

/** Removes the scratch directories of a process that died without doing it itself. Their names begin with its pid. */
export async function sweepScratch(temporaryRoot: string, pid: number): Promise<void> {
  // The pid may belong to somebody else by now, who may have scratch directories too.
  if (findProcess(pid)) return;
  const names = await readdir(temporaryRoot);
  for (const name of names.filter(candidate => candidate.startsWith(`carrel-${pid}-`)))
    await removeTree(join(temporaryRoot, name));
}
