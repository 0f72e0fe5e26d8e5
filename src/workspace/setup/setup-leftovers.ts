import { lstatSync } from 'node:fs';
import type { IncludedFile, WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { type BytePath, toFsPath } from '../../git/byte-path.js';
import { hashContent } from '../../git/files/content-hash.js';
import type { Git } from '../../git/git.js';
import { listForeignUntracked } from '../../git/work-tree/foreign-status.js';
import { listStatusEntries } from '../../git/work-tree/status-entries.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';

/** Beyond this number or size, files count as work: each would be read again on every inspection. */
const MOST_FILES = 2_000;
const MOST_BYTES = 64 * 1024 ** 2;

/** The untracked files of a work tree; for sandboxed files git is not used. */
export async function listUntracked(
  git: Git,
  place: WorkTreePlace,
  temporaryRoot: string,
): Promise<readonly BytePath[]> {
  if (place.isForeign) return listForeignUntracked(git, place, temporaryRoot);
  const entries = await listStatusEntries(git, place, { untracked: true, submodules: 'commits' });
  return entries.filter(({ kind }) => kind === 'untracked').map(({ path }) => path);
}

/** Records files that the setup left, to recognize them while they are unchanged. */
export async function describeSetupFiles(
  workTree: string,
  paths: readonly BytePath[],
): Promise<IncludedFile[]> {
  const files = paths.filter(path => isSmallFile(workTree, path));
  if (files.length > MOST_FILES) return [];
  return Promise.all(files.map(async path => ({ path, sha256: await hashContent(workTree, path) })));
}

function isSmallFile(workTree: string, path: BytePath): boolean {
  const info = lstatSync(toFsPath(workTree, path), { throwIfNoEntry: false });
  return info?.isFile() === true && info.size <= MOST_BYTES;
}

/**
 * Those untracked files that came from the setup or the user's `include` and are unchanged since: they are not work, so
 * they are not committed.
 */
export async function listUnchangedSetupFiles(
  { included }: Pick<WorkspaceRecord, 'included'>,
  workTree: string,
  paths: readonly BytePath[],
): Promise<ReadonlySet<BytePath>> {
  const known = new Map(included.map(({ path, sha256 }) => [path, sha256]));
  const candidates = paths.filter(path => known.has(path) && isSmallFile(workTree, path));
  const same = await Promise.all(
    // A file that is gone or replaced counts as changed.
    candidates.map(async path => (await hashContent(workTree, path).catch(() => null)) === known.get(path)),
  );
  return new Set(candidates.filter((_, at) => same[at]));
}
