import { join } from 'node:path';
import type { BytePath } from '../byte-path.js';
import type { Git } from '../git.js';
import { type TreeFile, writeBlobs, writeCommit, writeTree } from '../object-writer.js';
import { resolveCommit, updateRefs } from '../refs.js';
import { withScratchDirectory } from '../scratch-directory.js';
import type { WorkTreePlace } from '../work-tree/place.js';
import { surveyWorkTree, type WorkTreeSurvey } from '../work-tree/survey.js';
import { type CapturedExtras, captureExtras } from './extras.js';
import { storeRawFiles, toRawFile } from './raw-files.js';
import type { Captured, CaptureWorkTreeRequest } from './request.js';
import type { SnapshotHead } from './snapshot-meta.js';
import { sortTracked, type TrackedFiles } from './tracked-files.js';
import { isPlainPath } from './tree-path.js';

/**
 * Holds everything in a work tree in one commit (see snapshot-meta.ts for its shape) and pins it. Until the pin, which
 * comes last, there are only objects that nothing leads to; the work tree, its index and its git directory are never
 * written. Fails rather than leave something out unsaid: FILE_UNREADABLE, REF_MOVED when the ref exists.
 */
export async function captureWorkTree(
  git: Git,
  place: WorkTreePlace,
  request: CaptureWorkTreeRequest,
): Promise<Captured> {
  return withScratchDirectory(request.temporaryRoot, async scratch => {
    const survey = await surveyWorkTree(git, place, scratch, request.limits.regenerable, request.removed);
    const head = request.head ?? (await readHead(git, place));
    const tracked = await sortTracked(git, place, survey, request.removed);
    const files = await captureFiles(git, place, survey, tracked, scratch);
    const extras = await captureExtras(git, place, {
      survey,
      tracked,
      head,
      stored: files.stored,
      request,
      scratch,
    });
    const commit = await writeSnapshot(git, place.commonDir, head, files, extras, request);
    const change = { ref: request.ref, from: request.replaces ?? null, to: commit };
    if (change.from !== commit) await updateRefs(git, { gitDir: place.commonDir }, [change]);
    return { commit, files: files.count + extras.count, omitted: extras.omitted };
  });
}

async function readHead(git: Git, place: WorkTreePlace): Promise<SnapshotHead> {
  const at = { gitDir: place.gitDir };
  const symbolic = await git.run(['symbolic-ref', '--quiet', 'HEAD'], { ...at, answers: [0, 1] });
  const ref = symbolic.exitCode === 0 ? symbolic.stdout.toString('utf8').trimEnd() : null;
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
  scratch: string,
): Promise<CapturedFiles> {
  const { commonDir: store } = place;
  const indexFile = join(scratch, 'snapshot-index');
  const settled = new Map(
    survey.entries.filter(entry => entry.stage === 0).map(entry => [entry.path, entry]),
  );
  // The blob of a file that is to be added later need not exist.
  await writeBlobs(git, store, scratch, [Buffer.alloc(0)]);
  const indexTree = await writeTree(git, store, indexFile, { added: [...settled.values()] });
  const paths = [...tracked.changed, ...survey.untracked.filter(isPlainPath)];
  const raw = await storeFiles(git, place, survey, paths, scratch);
  const stored = (await hasFileModes(git, place))
    ? raw
    : raw.map(file => withIndexMode(file, settled.get(file.path)));
  const found = new Set(stored.map(file => file.path));
  const vanished = tracked.changed.flatMap(path => (found.has(path) ? [] : (settled.get(path) ?? [])));
  const removed = [...tracked.removed, ...vanished];
  const tree = await writeTree(git, store, indexFile, { removed, added: [...stored, ...tracked.submodules] });
  const differing = stored.filter(file => !isSame(file, settled.get(file.path)));
  return { indexTree, tree, stored, count: removed.length + differing.length };
}

function storeFiles(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  paths: readonly BytePath[],
  scratch: string,
) {
  const files = paths.flatMap(path => {
    const file = survey.found.files.get(path);
    return file ? [toRawFile(place.workTree, path, file)] : [];
  });
  const { commonDir: store, isForeign } = place;
  return storeRawFiles(git, { store, temporaryRoot: scratch, isForeign }, files);
}

/** With core.fileMode=false the bit on the disk means nothing, and the index's counts. */
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
