import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { captureWorkTree } from '../../../src/git/snapshot/capture/capture.js';
import { git } from '../repository.js';
import { captureRequest, placeOf } from './round-trip.js';
import { testGit } from './test-git.js';

/**
 * Converts a new snapshot of a workspace to the form of earlier versions: with the ignored files in the
 * refs of the repository, and nothing in the kept store. Returns its commit.
 */
export async function makeOld(stateDir: string, workTree: string, id: string): Promise<string> {
  const place = placeOf(workTree);
  const ref = `refs/carrel/snapshots/${id}`;
  git(workTree, 'update-ref', '-d', ref);
  const { commit } = await captureWorkTree(testGit(), place, captureRequest({ ref }));
  rmSync(join(stateDir, 'kept'), { recursive: true });
  const database = new Database(join(stateDir, 'carrel.db'), { timeout: 5000 });
  try {
    const change = "update snapshots set details = json_set(details, '$.commit', ?) where id = ?";
    database.prepare(change).run(commit, id);
  } finally {
    database.close();
  }
  return commit;
}
