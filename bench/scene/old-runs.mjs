import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeContainersOf } from '../system/leftover-containers.mjs';
import { waitForQuiet } from '../system/quiet.mjs';
import { removeDirectory } from '../system/remove-directory.mjs';

/** Deletes what runs that are no longer alive have left. A run's directory has its process id for a name. */
export async function removeOldRuns(directory) {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    if (isAlive(Number(name))) continue;
    // What an interrupted run started may still be at work.
    removeContainersOf(join(directory, name));
    await waitForQuiet(join(directory, name));
    removeDirectory(join(directory, name));
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
