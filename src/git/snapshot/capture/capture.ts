import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { BytePath } from '../../byte-path.js';
import { withScratchDirectory } from '../../disk/scratch-directory.js';
import { isPlainPath } from '../../files/tree-path.js';
import type { FoundFiles } from '../../files/walk.js';
import type { Git } from '../../git.js';
import { type TreeFile, writeBlobs, writeCommit, writeTree } from '../../objects/write-objects.js';
import { readHeadRef, resolveCommit, updateRefs } from '../../refs/refs.js';
import { surveyWorkTree, type WorkTreeSurvey } from '../../work-tree/survey.js';
import type { WorkTreePlace } from '../../work-tree-place.js';
import { listAdminFiles } from '../admin-files.js';
import { releaseKept } from '../kept-store.js';
import { type KnownBlobs, type RawFile, storeRawFiles, toRawFile } from '../raw-files.js';
import type { SnapshotHead } from '../snapshot-meta.js';
import { type CapturedExtras, captureExtras, type ExtrasInput, listInside } from './capture-extras.js';
import type { Captured, CaptureWorkTreeRequest } from './capture-request.js';
import { listNestedFiles, type NestedFiles } from './nested-repositories.js';
import {
  type Attempt,
  describeChanged,
  listChangedPaths,
  repeatUntilStable,
  requireStillThere,
  statsOf,
} from './repeat-until-stable.js';
import { sortTracked, type TrackedFiles } from './tracked-files-to-store.js';

/**
 * Captures everything in a work tree in one commit (see snapshot-meta.ts for its shape) and pins it. Until the pin, which
 * comes last, there are only unreachable objects; the work tree, its index and its git directory are never written. What
 * changes in the meantime is captured again (see repeat-until-stable.ts). Fails rather than silently leave something out:
 * FILE_UNREADABLE, SNAPSHOT_FILES_GONE, REF_MOVED when the ref exists.
 */
export async function captureWorkTree(
  git: Git,
  place: WorkTreePlace,
  request: CaptureWorkTreeRequest,
): Promise<Captured> {
  try {
    const inside = await listInside(request);
    const known: KnownBlobs = new Map();
    let attempts = 0;
    const { made, changed } = await repeatUntilStable(() => {
      attempts++;
      return withScratchDirectory(request.temporaryRoot, scratch =>
        attempt(git, place, request, { inside, known, scratch }),
      );
    });
    await pin(git, place.commonDir, request, made, attempts);
    return changed.length === 0 ? made : { ...made, changing: describeChanged(changed) };
  } catch (error) {
    if (request.keptDir !== undefined && request.replaces === undefined)
      await releaseKept(git, request.keptDir, request.ref).catch(() => undefined);
    throw error;
  }
}

/** One snapshot that is not pinned, and a second check of its sources. */
async function attempt(
  git: Git,
  place: WorkTreePlace,
  request: CaptureWorkTreeRequest,
  { inside, known, scratch }: Pick<ExtrasInput, 'inside' | 'known' | 'scratch'>,
): Promise<Attempt<Captured>> {
  // First, so that a change of the index while it is copied is seen.
  const state = await listState(place);
  const survey = await surveyWorkTree(git, place, scratch, request.limits.regenerable, request.removed);
  const head = request.head ?? (await readHead(git, place));
  const tracked = await sortTracked(git, place, survey, request.removed);
  const files = await captureFiles(git, place, survey, tracked, { scratch, known });
  const input = { survey, tracked, head, stored: files.stored, inside, known, request, scratch };
  const extras = await captureExtras(git, place, input);
  const commit = await writeSnapshot(git, place.commonDir, head, files, extras, request);
  const found = await survey.findAgain();
  if (survey.isPresent) requireStillThere(place.workTree, statsOf(survey.found), statsOf(found));
  const before = joinStats(survey.found, extras.nested, state);
  const nestedNow = await Promise.all(extras.nestedPaths.map(path => listNestedFiles(place, path)));
  const after = joinStats(found, nestedNow, await listState(place));
  const { omitted, kept } = extras;
  const made = { commit, kept, files: files.count + extras.count, omitted };
  return { made, changed: listChangedPaths(before, after) };
}

/** The state of the work tree's own git directory: HEAD, the index, and an operation in progress. */
async function listState(place: WorkTreePlace): Promise<RawFile[]> {
  const files = await listAdminFiles(place);
  return files.map(file => ({ ...file, path: `.git/${file.path}` }));
}

const joinStats = (
  found: FoundFiles,
  nested: readonly NestedFiles[],
  state: readonly RawFile[],
): Parameters<typeof listChangedPaths>[0] => ({
  files: new Map([
    ...found.files,
    ...[...nested.flatMap(({ files }) => files), ...state].map(file => [file.path, file] as const),
  ]),
  directories: new Map([...found.directories, ...nested.flatMap(({ directories }) => [...directories])]),
});

/**
 * The separately stored part is pinned by now; that of a replaced snapshot, or of an earlier attempt, is deleted when no
 * longer needed.
 */
async function pin(
  git: Git,
  gitDir: string,
  { ref, replaces, keptDir }: CaptureWorkTreeRequest,
  { commit, kept }: Captured,
  attempts: number,
): Promise<void> {
  const change = { ref, from: replaces ?? null, to: commit };
  if (change.from !== commit) await updateRefs(git, { gitDir }, [change]);
  if (keptDir !== undefined && (replaces !== undefined || attempts > 1))
    await releaseKept(git, keptDir, ref, kept);
}

async function readHead(git: Git, place: WorkTreePlace): Promise<SnapshotHead> {
  const at = { gitDir: place.gitDir };
  const ref = (await readHeadRef(git, at)) ?? null;
  return {
    ref,
    branch: ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null,
    commit: (await resolveCommit(git, at, 'HEAD')) ?? null,
  };
}

interface CapturedFiles {
  readonly indexTree: string;
  readonly tree: string;
  /** What was stored beyond the index's own blobs. */
  readonly stored: readonly TreeFile[];
  readonly count: number;
}

/** Trees of the index and of the files; the second is the first with the differences. */
async function captureFiles(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  tracked: TrackedFiles,
  { scratch, known }: Pick<ExtrasInput, 'scratch' | 'known'>,
): Promise<CapturedFiles> {
  const { commonDir: store } = place;
  const indexFile = join(scratch, 'snapshot-index');
  const merged = new Map(survey.entries.filter(entry => entry.stage === 0).map(entry => [entry.path, entry]));
  // The blob of an intent-to-add entry need not exist.
  if (survey.entries.some(({ id }) => EMPTY_BLOBS.has(id)))
    await writeBlobs(git, store, scratch, [Buffer.alloc(0)]);
  const indexTree = await writeTree(git, store, indexFile, { added: [...merged.values()] });
  const paths = [...tracked.changed, ...survey.untracked.filter(isPlainPath)];
  const raw = await storeFiles(git, place, survey, paths, { scratch, known });
  const stored = (await hasFileModes(git, place))
    ? raw
    : raw.map(file => withIndexMode(file, merged.get(file.path)));
  const found = new Set(stored.map(file => file.path));
  const vanished = tracked.changed.flatMap(path => (found.has(path) ? [] : (merged.get(path) ?? [])));
  const removed = [...tracked.removed, ...vanished];
  const tree = await writeTree(git, store, indexFile, { removed, added: [...stored, ...tracked.submodules] });
  const differing = stored.filter(file => !isSame(file, merged.get(file.path)));
  return { indexTree, tree, stored, count: removed.length + differing.length };
}

/** In the two formats of ids. */
const EMPTY_BLOBS: ReadonlySet<string> = new Set(
  ['sha1', 'sha256'].map(format => createHash(format).update('blob 0\0').digest('hex')),
);

function storeFiles(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  paths: readonly BytePath[],
  { scratch: temporaryRoot, known }: Pick<ExtrasInput, 'scratch' | 'known'>,
) {
  const files = paths.flatMap(path => {
    const file = survey.found.files.get(path);
    return file ? [toRawFile(place.workTree, path, file)] : [];
  });
  const { commonDir: store, isForeign } = place;
  return storeRawFiles(git, { store, temporaryRoot, isForeign, known }, files);
}

/** With core.fileMode=false the bit on disk is ignored, and the index's is used. */
async function hasFileModes(git: Git, place: WorkTreePlace): Promise<boolean> {
  const query = ['config', '--type=bool', '--get', 'core.fileMode'];
  return (await git.text(query, { gitDir: place.gitDir, answers: [0, 1] })) !== 'false';
}

function withIndexMode(file: TreeFile, entry: TreeFile | undefined): TreeFile {
  const isRegular = (mode: string | undefined) => mode === '100644' || mode === '100755';
  return entry && isRegular(entry.mode) && isRegular(file.mode) ? { ...file, mode: entry.mode } : file;
}

const isSame = (file: TreeFile, entry: TreeFile | undefined): boolean =>
  file.id === entry?.id && file.mode === entry.mode;

async function writeSnapshot(
  git: Git,
  store: string,
  head: SnapshotHead,
  files: CapturedFiles,
  extras: CapturedExtras,
  request: CaptureWorkTreeRequest,
): Promise<string> {
  const at = request.now;
  const base = head.commit ? [head.commit] : [];
  const staged = { tree: files.indexTree, parents: base, message: 'carrel: what was staged', at };
  const rest = { tree: extras.tree, parents: extras.parents, message: 'carrel: what git does not track', at };
  const parents = [...base, await writeCommit(git, store, staged), await writeCommit(git, store, rest)];
  return writeCommit(git, store, {
    tree: files.tree,
    parents,
    message: request.message ?? 'carrel: snapshot',
    at,
  });
}
