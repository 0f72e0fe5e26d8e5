import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { errnoOf } from '../../domain/error.js';
import { type BytePath, toBytes, toFsPath } from '../byte-path.js';
import type { Git, GitOptions } from '../git.js';
import { type LoadedIndex, loadIndex } from '../index-file.js';
import { isRacy, matchesStat } from '../index-stat.js';
import { createCopier } from './foreign-copier.js';
import { GITLINK_MODE, type IndexEntry, SYMLINK_MODE } from './index-entries.js';
import { createPinner, hashPinned } from './pinned-file.js';
import type { WorkTreePlace } from './place.js';
import { untouchedCopyOf } from './scratch-index.js';
import type { WorkTreeSurvey } from './survey.js';
import type { FoundFile } from './walk.js';
import { withoutFilterPrograms } from './without-filter-programs.js';

/**
 * Tracked files of a foreign work tree whose bytes, kind or executable bit are not those of the index, deletions
 * included. Files that the index knows by their times are not read, all others are: what can't be told apart by bytes is
 * the same.
 */
export async function listDiffering(
  place: WorkTreePlace,
  survey: Pick<WorkTreeSurvey, 'entries' | 'found' | 'index'>,
): Promise<BytePath[]> {
  const isUntouched = createStatJudge(place, survey);
  const isSame = createContentJudge(place);
  const differing: BytePath[] = [];
  for (const entry of survey.entries) {
    if (entry.stage !== 0 || entry.mode === GITLINK_MODE) continue;
    const file = survey.found.files.get(entry.path);
    if (!file && entry.skipWorktree) continue;
    if (file && (isUntouched(entry.path) || (await isSame(entry, file)))) continue;
    differing.push(entry.path);
    await setImmediate();
  }
  return differing;
}

/** By all numbers that git keeps. Nothing that runs in a sandbox can set the time of change. */
function createStatJudge(
  place: WorkTreePlace,
  { entries, index }: Pick<WorkTreeSurvey, 'entries' | 'index'>,
): (path: BytePath) => boolean {
  const idLength = entries[0]?.id.length ?? 40;
  const loaded = loadIndex(untouchedCopyOf(index.indexFile), idLength / 2);
  if ('unusable' in loaded) return () => false;
  const known = settledEntries(loaded);
  return path => {
    const entry = known.get(path);
    if (entry === undefined || isRacy(loaded, entry)) return false;
    const info = lstatSync(toFsPath(place.workTree, path), { bigint: true, throwIfNoEntry: false });
    return info !== undefined && matchesStat(loaded, entry, info);
  };
}

const settledEntries = (index: LoadedIndex): Map<BytePath, number> =>
  new Map(index.paths.map((path, entry) => [path, entry]));

function createContentJudge(place: WorkTreePlace): (entry: IndexEntry, file: FoundFile) => Promise<boolean> {
  const pin = createPinner(place.workTree);
  return async (entry, found) => {
    if (!isSameKind(entry.mode, found)) return false;
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

/** Larger files have other content when they have other bytes. */
const MOST_CONVERTED_BYTES = 32 << 20;

/**
 * Those of the differing files that differ to git too, which sees a file as it would be after cleaning: with its line
 * endings, encoding and `core.fileMode`, but without a program of anybody's. It looks at copies.
 */
export async function listForeignChanges(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
): Promise<BytePath[]> {
  const differing = new Set(await listDiffering(place, survey));
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

/** Against an index of their own, which knows nothing but their ids. */
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
