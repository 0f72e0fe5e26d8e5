import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { errnoOf } from '../../domain/error/error.js';
import { type BytePath, toBytes, toFsPath } from '../byte-path.js';
import { createPinner, hashPinned } from '../files/pinned-file.js';
import { statExactly } from '../files/read-directory.js';
import type { FoundFile } from '../files/walk.js';
import type { Git, GitOptions } from '../git.js';
import { type LoadedIndex, loadIndex } from '../index/git-index-file.js';
import { isRacy, matchesStat } from '../index/index-stat.js';
import { GITLINK_MODE, type IndexEntry, SYMLINK_MODE } from '../index/list-index-entries.js';
import { untouchedCopyOf } from '../index/scratch-index.js';
import { readObjectInfos } from '../objects/read-objects.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { createCopier } from './foreign-copier.js';
import type { WorkTreeSurvey } from './survey.js';
import { withoutFilterPrograms } from './without-filter-programs.js';

/**
 * Tracked files of a foreign work tree whose bytes, kind or executable bit differ from the index, deletions included. Files
 * with matching stat data are not read, nor large ones of another size; all others are compared by content.
 */
export async function listDiffering(
  git: Git,
  place: WorkTreePlace,
  survey: Pick<WorkTreeSurvey, 'entries' | 'found' | 'index'>,
): Promise<BytePath[]> {
  const isUntouched = createStatComparison(place, survey);
  const isSame = createContentComparison(place, await readLargeSizes(git, place, survey));
  const differing: BytePath[] = [];
  for (const entry of survey.entries) {
    if (entry.stage !== 0 || entry.mode === GITLINK_MODE) continue;
    const file = survey.found.files.get(entry.path);
    if (!file && entry.skipWorktree) continue;
    place.meter?.count(1);
    if (file && (isUntouched(entry.path) || (await isSame(entry, file)))) continue;
    differing.push(entry.path);
    await setImmediate();
  }
  return differing;
}

/** By all stat data that git keeps. Nothing that runs in a sandbox can set the time of change. */
function createStatComparison(
  place: WorkTreePlace,
  { entries, index }: Pick<WorkTreeSurvey, 'entries' | 'index'>,
): (path: BytePath) => boolean {
  const idLength = entries[0]?.id.length ?? 40;
  const loaded = loadIndex(untouchedCopyOf(index.indexFile), idLength / 2);
  if ('unusable' in loaded) return () => false;
  const known = entriesByPath(loaded);
  return path => {
    const entry = known.get(path);
    if (entry === undefined || isRacy(loaded, entry)) return false;
    const info = statExactly(place.workTree, path);
    return info !== undefined && matchesStat(loaded, entry, info);
  };
}

const entriesByPath = (index: LoadedIndex): Map<BytePath, number> =>
  new Map(index.paths.map((path, entry) => [path, entry]));

/** Bytes of what the index has in the place of large files, by id: so that a sparse file of a terabyte is not read. */
async function readLargeSizes(
  git: Git,
  place: WorkTreePlace,
  { entries, found }: Pick<WorkTreeSurvey, 'entries' | 'found'>,
): Promise<ReadonlyMap<string, number | undefined>> {
  const isLarge = ({ path }: IndexEntry) => (found.files.get(path)?.bytes ?? 0) > MOST_CONVERTED_BYTES;
  const ids = [...new Set(entries.filter(isLarge).map(entry => entry.id))];
  const infos = await readObjectInfos(git, place.commonDir, ids);
  return new Map(ids.map((id, at) => [id, infos[at]?.bytes]));
}

function createContentComparison(
  place: WorkTreePlace,
  largeSizes: ReadonlyMap<string, number | undefined>,
): (entry: IndexEntry, file: FoundFile) => Promise<boolean> {
  const pin = createPinner(place.workTree);
  return async (entry, found) => {
    if (!isSameKind(entry.mode, found)) return false;
    if (found.bytes > MOST_CONVERTED_BYTES && largeSizes.get(entry.id) !== found.bytes) return false;
    if (found.kind === 'symlink') return hashLink(place, entry) === entry.id;
    const file = pin(entry.path);
    try {
      return file !== undefined && (await hashPinned(file, entry.id.length)) === entry.id;
    } finally {
      file?.close();
    }
  };
}

function isSameKind(mode: string, { kind, mode: bits }: FoundFile): boolean {
  if (kind === 'symlink') return mode === SYMLINK_MODE;
  return mode === (bits & 0o100 ? '100755' : '100644');
}

function hashLink(place: WorkTreePlace, { path, id }: IndexEntry): string | undefined {
  try {
    const target = readlinkSync(toFsPath(place.workTree, path), { encoding: 'buffer' });
    const hash = createHash(id.length === 64 ? 'sha256' : 'sha1');
    return hash.update(`blob ${target.length}\0`).update(target).digest('hex');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EINVAL'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Larger files are compared by size only. */
const MOST_CONVERTED_BYTES = 32 << 20;

/**
 * Those of the differing files that also differ for git, which compares a file as it would be after cleaning: with line
 * endings, encoding and `core.fileMode`, but without filter programs. It reads copies.
 */
export async function listForeignChanges(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
): Promise<BytePath[]> {
  const differing = new Set(await listDiffering(git, place, survey));
  const isSmall = (entry: IndexEntry) =>
    (survey.found.files.get(entry.path)?.bytes ?? MOST_CONVERTED_BYTES) < MOST_CONVERTED_BYTES;
  const small = survey.entries.filter(entry => differing.has(entry.path) && isSmall(entry));
  const copier = createCopier(place.workTree, survey.index.workTree as string);
  const copied: IndexEntry[] = [];
  for (const entry of small) {
    const file = survey.found.files.get(entry.path) as FoundFile;
    if (await copier.file(entry.path, file)) copied.push(entry);
  }
  if (copied.length === 0) return [...differing];
  const changed = await compareCopies(git, survey.index, copied);
  const isSame = new Set(copied.map(entry => entry.path).filter(path => !changed.has(path)));
  return [...differing].filter(path => !isSame.has(path));
}

/** Against a separate index with nothing but their ids. */
async function compareCopies(
  git: Git,
  index: GitOptions & { readonly indexFile: string },
  entries: readonly IndexEntry[],
): Promise<ReadonlySet<BytePath>> {
  const env = await withoutFilterPrograms(git, index);
  const own = { ...index, indexFile: `${index.indexFile}.compared`, env };
  const stdin = toBytes(entries.map(({ mode, id, path }) => `${mode} ${id} 0\t${path}\0`).join(''));
  await git.run(['update-index', '-z', '--index-info'], { ...own, stdin });
  await git.run(['update-index', '-q', '--refresh'], { ...own, answers: [0, 1] });
  return new Set(await git.records(['diff-files', '--name-only', '-z', '--ignore-submodules=all'], own));
}
