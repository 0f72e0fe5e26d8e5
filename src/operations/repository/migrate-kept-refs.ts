import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CarrelError, errnoOf, ignoreMissing } from '../../domain/error/error.js';
import { listRefs } from '../../git/refs/refs.js';
import { keptDirIn } from '../../git/snapshot/kept-store.js';
import { moveApart } from '../../git/snapshot/move-kept-part.js';
import type { Repository } from '../../workspace/backend.js';
import { snapshotRef } from '../../workspace/snapshot/snapshot-ref.js';
import type { Context } from '../context.js';

/**
 * Earlier versions kept ignored files in refs of the repository, which `git push --mirror` sends. The first command in a repository
 * moves them to Carrel's own store (see git/snapshot/kept-store.ts). A file per repository records that, so that later commands only pay
 * for one read. The next command retries failures.
 */
export async function moveSnapshotsApart(
  context: Pick<Context, 'store' | 'git' | 'places' | 'narrate' | 'onStep'>,
  { id, commonDir }: Repository,
): Promise<void> {
  if (commonDir === null) return;
  const mark = join(keptDirIn(context.places.stateDir), 'moved', id);
  const identity = await identify(commonDir);
  if ((await readFile(mark, 'utf8').catch(ignoreMissing)) === identity) return;
  try {
    if (!(await moveAll(context, commonDir))) return;
    await writeMark(mark, identity);
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    context.narrate(
      `warning: ignored files of older snapshots are still in refs of the repository: ${error.message}`,
    );
  }
}

/** If it can't be written, as on a full disk, the next command checks again. */
async function writeMark(mark: string, identity: string): Promise<void> {
  try {
    await mkdir(dirname(mark), { recursive: true, mode: 0o700 });
    await writeFile(mark, identity);
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** Another repository at the same path is another directory. */
async function identify(commonDir: string): Promise<string> {
  const { dev, ino } = await stat(commonDir, { bigint: true });
  return `${dev} ${ino}\n`;
}

/** False when one is being taken at this moment. */
async function moveAll(
  context: Pick<Context, 'store' | 'git' | 'places' | 'narrate' | 'onStep'>,
  commonDir: string,
): Promise<boolean> {
  const { git, places, store } = context;
  let moved = 0;
  let pending = 0;
  for (const { ref } of await listRefs(git, { gitDir: commonDir }, [dirname(snapshotRef(''))])) {
    const record = await store.snapshots.find(basename(ref));
    if (record?.commit === null) {
      pending++;
      continue;
    }
    const change = await moveApart(git, {
      objectStore: commonDir,
      ref,
      keptDir: keptDirIn(places.stateDir),
      temporaryRoot: places.temporaryRoot,
      onKept: () => context.onStep('settle', 'kept'),
    });
    if (!change) continue;
    context.onStep('settle', 'moved');
    if (record?.commit !== change.from) continue;
    await store.snapshots.update(record.id, { commit: change.to, kept: change.kept }, []);
    moved++;
  }
  if (moved > 0)
    context.narrate(
      `moved the ignored files of ${moved} ${moved === 1 ? 'snapshot' : 'snapshots'} out of the refs of the repository`,
    );
  return pending === 0;
}
