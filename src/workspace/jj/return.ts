import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { displayPath, toBytes } from '../../git/byte-path.js';
import { makeNewDirectory } from '../../git/disk/shared-directory.js';
import { findOlderFiles } from '../../git/snapshot/restore/newer-files.js';
import { restoreWorkTree } from '../../git/snapshot/restore/restore-work-tree.js';
import { readSnapshotMeta } from '../../git/snapshot/snapshot-meta.js';
import { identityVariables } from '../../jj/jj-identity.js';
import { addWorkspace, fillWorkspace, forgetWorkspace } from '../../jj/jj-workspaces.js';
import { knowsCommit } from '../../jj/revisions.js';
import { headOf, readWorkingCopy, type WorkingCopy } from '../../jj/working-copy.js';
import type { Returning } from '../backend.js';
import { removeTree } from '../files/remove-tree.js';
import { viewOf, withView } from './git-view.js';
import { findJjName, readJjName, renewJjName } from './jj-name.js';
import type { JjBackendOptions } from './jj-place.js';
import { prepareDirectory, readOwnWorkingCopy } from './jj-presence.js';

/** jj's data about the workspace was in its directory, except the working-copy commit: the workspace is added again at it. */
export const createJjReturning = (options: JjBackendOptions): Returning => ({
  fill: async (record, from, directory) => {
    const before = await readOwnWorkingCopy(options, record);
    await addAgain(options, record, before, directory);
    if (!from) return { warnings: [] };
    // The snapshot has all files.
    for (const name of await readdir(directory)) if (name !== '.jj') await removeTree(join(directory, name));
    const name = await readJjName(options, record);
    const present = await readWorkingCopy(options.jj, record.repository, name);
    return fillWithNewer(options, record, from, { directory, head: present ? headOf(present) : null });
  },
});

async function addAgain(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  before: WorkingCopy | undefined,
  directory: string,
): Promise<void> {
  const { jj } = options;
  const { repository } = record;
  const known = await findJjName(options, record);
  const name = known ?? (await renewJjName(options, record));
  const by = { env: await identityVariables(jj, repository) };
  const workspace = {
    name,
    path: directory,
    commit: before?.parents[0] ?? (record.base.commit as string),
  };
  await makeNewDirectory(directory);
  if (known !== undefined) await forgetWorkspace(jj, repository, known);
  await addWorkspace(jj, repository, workspace, by);
  await prepareDirectory({ ...record, path: directory });
  await fillWorkspace(jj, repository, workspace, by);
  // Forgetting abandons a change only when it is empty.
  if (before && (await knowsCommit(jj, repository, before.commit)))
    await jj.run(['edit', before.commit], { workspace: directory, touchesFiles: true, ...by });
}

/** As in git/return.ts; jj has no index, and what was committed since takes precedence over the snapshot. */
async function fillWithNewer(
  { git, temporaryRoot, keptDir }: JjBackendOptions,
  record: WorkspaceRecord,
  from: Snapshot,
  { directory, head }: { readonly directory: string; readonly head: string | null },
) {
  const { objectStore } = from;
  const commit = from.commit as string;
  const meta = await readSnapshotMeta(git, objectStore, commit);
  return withView(git, temporaryRoot, viewOf(record, head, directory), async place => {
    const { gitDir, workTree } = place;
    const staged = meta.head.commit ?? commit;
    const files = { objectStore, commit, staged, temporaryRoot };
    const { tree, newer, overruled } = await findOlderFiles(git, { gitDir }, files);
    const stdin = toBytes(newer.join('\0'));
    const { warnings } = await restoreWorkTree(git, place, {
      ...{ commit, tree, keptDir, temporaryRoot },
      beforeModes: async () => {
        const write = ['checkout-index', '--quiet', '--force', '-z', '--stdin'];
        if (newer.length > 0) await git.run(write, { gitDir, workTree, stdin, answers: [0, 1, 128] });
      },
    });
    const shown = overruled.slice(0, 3).map(displayPath).join(', ');
    const note = `${overruled.length === 1 ? '1 file was' : `${overruled.length} files were`} committed after the checkpoint and kept in the newer version: ${shown}; for the checkpoint's version: carrel restore ${from.id} --as NAME`;
    return { warnings: overruled.length > 0 ? [...warnings, note] : warnings };
  });
}
