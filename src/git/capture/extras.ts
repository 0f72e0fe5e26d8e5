import { join } from 'node:path';
import type { BytePath } from '../byte-path.js';
import type { Git } from '../git.js';
import { readObjectInfos } from '../object-reader.js';
import { type TreeFile, writeBlobs, writeTree } from '../object-writer.js';
import { resolveCommit } from '../refs.js';
import type { Omitted } from '../work-tree/ignored.js';
import type { WorkTreePlace } from '../work-tree/place.js';
import type { WorkTreeSurvey } from '../work-tree/survey.js';
import { type AdminState, listAdminState } from './admin-state.js';
import { type ModeFact, type Modes, summarizeModes } from './file-modes.js';
import { findKeptCommits } from './kept-commits.js';
import { listOtherFiles, type OtherFiles } from './other-files.js';
import { listPrivateGit, listPrivateJj, type PrivateGitFiles } from './private-git.js';
import { listPrivateHome, type PrivateHomeFiles } from './private-home.js';
import { inFolder, type RawFile, storeRawFiles, treeMode } from './raw-files.js';
import type { CaptureWorkTreeRequest } from './request.js';
import { FOLDERS, formatMeta, META_FILE, type SnapshotHead, type SnapshotMeta } from './snapshot-meta.js';
import type { TrackedFiles } from './tracked-files.js';

export interface CapturedExtras {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly count: number;
  readonly omitted: readonly Omitted[];
}

export interface ExtrasInput {
  readonly survey: WorkTreeSurvey;
  readonly tracked: TrackedFiles;
  readonly head: SnapshotHead;
  /** Files in the snapshot's own tree that are not as the index has them. */
  readonly stored: readonly TreeFile[];
  readonly request: CaptureWorkTreeRequest;
  readonly scratch: string;
}

/** Holds all that is not in the snapshot's own tree: other files, the state of the git directory, and other commits. */
export async function captureExtras(
  git: Git,
  place: WorkTreePlace,
  input: ExtrasInput,
): Promise<CapturedExtras> {
  const { survey, head, request } = input;
  const branchTip = await findBranchTip(git, place, request);
  const others = await listOtherFiles(git, place, survey, request);
  const inside = await listInside(request);
  const admin = await listAdminState(git, place, survey);
  const files = await storeOthers(git, place, others, admin, inside, input.scratch);
  const foreign = describeForeign(place, survey, inside);
  const omitted = [others, inside.git, inside.jj, inside.home].flatMap(part => part.omitted);
  const meta = formatMeta<SnapshotMeta>({ ...describe(input, others, branchTip), ...foreign, omitted });
  const tree = await writeExtrasTree(git, place, [...files, ...admin.blobs], meta, input.scratch);
  const known = head.commit ? [head.commit] : [];
  const further = await readObjectInfos(git, place.commonDir, request.commits ?? []);
  const ids = [branchTip, ...further.map(info => info?.id)].filter(id => typeof id === 'string');
  const tips = [...new Set(ids)].filter(id => id !== head.commit);
  const kept = await findKeptCommits(
    git,
    place.commonDir,
    transientFiles(place, admin),
    [...known, ...tips],
    request.now,
  );
  return { tree, parents: [...tips, ...kept], count: countOthers(others), omitted };
}

/** What a sandboxed workspace has to itself beside its files. */
interface Inside {
  readonly git: PrivateGitFiles;
  readonly jj: PrivateGitFiles;
  readonly home: PrivateHomeFiles;
}

async function listInside(request: CaptureWorkTreeRequest): Promise<Inside> {
  const { privateGitDir, privateGitBytes, privateHome, limits } = request;
  return {
    git: await listPrivateGit(privateGitDir, privateGitBytes),
    jj: await listPrivateJj(privateGitDir, privateGitBytes),
    home: await listPrivateHome(privateHome, limits),
  };
}

/** The reflog of the main work tree stays with the repository; that of a linked one goes with it. */
const transientFiles = (place: WorkTreePlace, admin: AdminState): readonly RawFile[] =>
  place.gitDir === place.commonDir ? admin.files.filter(file => !file.path.startsWith('logs/')) : admin.files;

async function findBranchTip(
  git: Git,
  place: WorkTreePlace,
  request: CaptureWorkTreeRequest,
): Promise<string | null> {
  if (!request.branch) return null;
  if (request.head?.branch === request.branch) return request.head.commit;
  return (await resolveCommit(git, { gitDir: place.gitDir }, `refs/heads/${request.branch}`)) ?? null;
}

async function storeOthers(
  git: Git,
  place: WorkTreePlace,
  others: OtherFiles,
  admin: AdminState,
  inside: Inside,
  scratch: string,
) {
  const { commonDir, isForeign } = place;
  const own = { store: commonDir, temporaryRoot: scratch };
  const store = (files: readonly RawFile[]) => storeRawFiles(git, { ...own, isForeign }, files);
  const storeInside = (files: readonly RawFile[]) => storeRawFiles(git, { ...own, isForeign: true }, files);
  const nested = others.nested.flatMap(repository => repository.files);
  return [
    ...inFolder(FOLDERS.ignored, await store(others.ignored)),
    ...inFolder(FOLDERS.nested, await store(nested)),
    ...inFolder(FOLDERS.private, await storeInside(inside.git.files)),
    ...inFolder(FOLDERS.privateJj, await storeInside(inside.jj.files)),
    ...inFolder(FOLDERS.privateHome, await storeInside(inside.home.files)),
    ...inFolder(FOLDERS.admin, await storeRawFiles(git, own, [...admin.files, ...admin.modules])),
  ];
}

async function writeExtrasTree(
  git: Git,
  place: WorkTreePlace,
  files: readonly TreeFile[],
  meta: Buffer,
  scratch: string,
): Promise<string> {
  const metaFiles = (await writeBlobs(git, place.commonDir, scratch, [meta])).map(id => ({
    path: META_FILE,
    mode: '100644',
    id,
  }));
  return writeTree(git, place.commonDir, join(scratch, 'extras-index'), { added: [...metaFiles, ...files] });
}

const countOthers = (others: OtherFiles): number =>
  others.ignored.length + others.nested.reduce((sum, repository) => sum + repository.files.length, 0);

function describe(input: ExtrasInput, others: OtherFiles, branchTip: string | null): SnapshotMeta {
  const { survey, tracked, head } = input;
  return {
    head,
    branchTip,
    isPresent: survey.isPresent,
    modes: describeModes(input, others),
    emptyDirectories: [
      ...survey.found.emptyDirectories,
      ...others.nested.flatMap(nested => nested.emptyDirectories),
    ],
    absent: tracked.absent,
    largeFiles: tracked.largeFiles,
    absorbed: others.nested.flatMap(nested => nested.absorbed),
    omitted: others.omitted,
  };
}

function describeForeign(
  place: WorkTreePlace,
  { found }: WorkTreeSurvey,
  inside: Inside,
): Pick<SnapshotMeta, 'foreign'> {
  if (!place.isForeign) return {};
  const repositories = [...found.nestedRepositories, ...found.populatedSubmodules];
  const kept = {
    privateGit: inside.git.meta,
    privateJj: inside.jj.meta,
    privateHome: inside.home.meta,
  };
  return { foreign: { repositories, ...kept } };
}

function describeModes(input: ExtrasInput, others: OtherFiles): Modes {
  const { survey, stored } = input;
  const treeModes = new Map<BytePath, string>(
    [...survey.entries, ...stored].map(file => [file.path, file.mode]),
  );
  const ownFiles = [...survey.found.files].filter(([path]) => treeModes.has(path));
  const otherFiles = [...others.ignored, ...others.nested.flatMap(nested => nested.files)];
  const directories = [
    ...survey.found.directories,
    ...others.nested.flatMap(nested => [...nested.directories]),
  ];
  return summarizeModes([
    ...ownFiles.flatMap(([path, file]) => fileFact(path, treeModes.get(path) ?? '', file.mode)),
    ...otherFiles.flatMap(file => fileFact(file.path, treeMode(file), file.mode)),
    ...directories.map(([path, mode]) => ({ path, kind: 'directory', mode }) as const),
  ]);
}

/** Links have no mode of their own. */
function fileFact(path: BytePath, tree: string, mode: number): ModeFact[] {
  if (tree === '100755') return [{ path, kind: 'executable', mode }];
  return tree === '100644' ? [{ path, kind: 'file', mode }] : [];
}
