import { join } from 'node:path';
import type { BytePath } from '../../byte-path.js';
import type { Omitted } from '../../files/ignored-files.js';
import type { Git } from '../../git.js';
import { readObjectInfos } from '../../objects/read-objects.js';
import { type TreeFile, writeBlobs, writeCommit, writeTree } from '../../objects/write-objects.js';
import { resolveCommit } from '../../refs/refs.js';
import type { WorkTreeSurvey } from '../../work-tree/survey.js';
import type { WorkTreePlace } from '../../work-tree-place.js';
import { type ModeFact, type Modes, summarizeModes } from '../file-modes.js';
import { ensureKeptStore, pinKept } from '../kept-store.js';
import { inFolder, type KnownBlobs, type RawFile, storeRawFiles, treeMode } from '../raw-files.js';
import { listPrivateGit, listPrivateJj, type PrivateGitFiles } from '../restore/private-git-files.js';
import { listPrivateHome, type PrivateHomeFiles } from '../restore/private-home.js';
import {
  FOLDERS,
  formatMeta,
  isApart,
  META_FILE,
  type SnapshotHead,
  type SnapshotMeta,
} from '../snapshot-meta.js';
import { type AdminState, listAdminState } from './admin-state.js';
import type { CaptureWorkTreeRequest } from './capture-request.js';
import { findKeptCommits } from './kept-commits.js';
import type { NestedFiles } from './nested-repositories.js';
import { listOtherFiles, type OtherFiles } from './other-files.js';
import type { TrackedFiles } from './tracked-files-to-store.js';

export interface CapturedExtras {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly count: number;
  readonly omitted: readonly Omitted[];
  /** The commit that was pinned in the store for what git must never push. */
  readonly kept: string | undefined;
  /** Nested repositories, whose files the survey does not list, and their paths. */
  readonly nested: readonly NestedFiles[];
  readonly nestedPaths: readonly BytePath[];
}

export interface ExtrasInput {
  readonly survey: WorkTreeSurvey;
  readonly tracked: TrackedFiles;
  readonly head: SnapshotHead;
  /** Files in the snapshot's own tree that are not as the index has them. */
  readonly stored: readonly TreeFile[];
  /** Private files of a sandboxed workspace; listed once, because listing opens up permissions. */
  readonly inside: Inside;
  readonly known: KnownBlobs;
  readonly request: CaptureWorkTreeRequest;
  readonly scratch: string;
}

/** Captures everything that is not in the snapshot's own tree: other files, the state of the git directory, and other commits. */
export async function captureExtras(
  git: Git,
  place: WorkTreePlace,
  input: ExtrasInput,
): Promise<CapturedExtras> {
  const { survey, head, request, inside } = input;
  const branchTip = await findBranchTip(git, place, request);
  const others = await listOtherFiles(git, place, survey, request);
  const admin = await listAdminState(git, place, survey);
  const parts = listParts(place, others, admin, inside);
  const kept = await keepApart(git, place, parts, input);
  const files = await storeParts(git, place.commonDir, parts.filter(kept ? isSent : () => true), input);
  const foreign = describeForeign(place, survey, inside);
  const omittedParts = [others, inside.git, inside.jj, inside.home].flatMap(part => part.omitted);
  const omitted = [...omitIndex(survey), ...omittedParts];
  const meta = formatMeta<SnapshotMeta>({ ...describe(input, others, branchTip), ...foreign, omitted, kept });
  const tree = await writeExtrasTree(git, place, [...files, ...admin.blobs], meta, input.scratch);
  const known = head.commit ? [head.commit] : [];
  const further = await readObjectInfos(git, place.commonDir, request.commits ?? []);
  const ids = [branchTip, ...further.map(info => info?.id)].filter(id => typeof id === 'string');
  const tips = [...new Set(ids)].filter(id => id !== head.commit);
  const reachable = await findKeptCommits(
    git,
    place.commonDir,
    transientFiles(place, admin),
    [...known, ...tips],
    request.now,
  );
  const { nested, nestedPaths } = others;
  const count = countOthers(others);
  return { tree, parents: [...tips, ...reachable], count, omitted, kept, nested, nestedPaths };
}

/** Without the index, staged changes are unknown. */
const omitIndex = ({ hasUnreadableIndex }: WorkTreeSurvey): Omitted[] =>
  hasUnreadableIndex ? [{ path: '.git/index', bytes: 0, reason: UNREADABLE_INDEX }] : [];

const UNREADABLE_INDEX =
  'git could not read it, so staged changes are unknown; all files are captured as differences from HEAD';

/** Private files of a sandboxed workspace besides its work tree. */
export interface Inside {
  readonly git: PrivateGitFiles;
  readonly jj: PrivateGitFiles;
  readonly home: PrivateHomeFiles;
}

export async function listInside(request: CaptureWorkTreeRequest): Promise<Inside> {
  const { privateGitDir, privateGitBytes, privateHome, limits } = request;
  return {
    git: await listPrivateGit(privateGitDir, privateGitBytes),
    jj: await listPrivateJj(privateGitDir, privateGitBytes),
    home: await listPrivateHome(privateHome, limits),
  };
}

/** The reflog of the main work tree stays with the repository; that of a linked one is deleted with it. */
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

/** Files that go into one folder. */
interface Part {
  readonly folder: string;
  readonly files: readonly RawFile[];
  readonly isForeign?: boolean | undefined;
}

function listParts(
  { isForeign }: WorkTreePlace,
  others: OtherFiles,
  admin: AdminState,
  inside: Inside,
): Part[] {
  const nested = others.nested.flatMap(repository => repository.files);
  const all: Part[] = [
    { folder: FOLDERS.ignored, files: others.ignored, isForeign },
    { folder: FOLDERS.nested, files: nested, isForeign },
    { folder: FOLDERS.private, files: inside.git.files, isForeign: true },
    { folder: FOLDERS.privateJj, files: inside.jj.files, isForeign: true },
    { folder: FOLDERS.privateHome, files: inside.home.files, isForeign: true },
    ...[isSentFile, isApartFile].map(isOfPart => ({
      folder: FOLDERS.admin,
      files: [...admin.files, ...admin.modules].filter(isOfPart),
    })),
  ];
  return all.filter(part => part.files.length > 0);
}

const isApartFile = ({ path }: RawFile): boolean => isApart(`${FOLDERS.admin}/${path}`);
const isSentFile = (file: RawFile): boolean => !isApartFile(file);
const isSent = ({ folder, files }: Part): boolean => !files.some(file => isApart(`${folder}/${file.path}`));

/** Returns the pinned commit; undefined when there is nothing to store separately, or no store. */
async function keepApart(
  git: Git,
  place: WorkTreePlace,
  parts: readonly Part[],
  { request, scratch, survey, known }: ExtrasInput,
): Promise<string | undefined> {
  const apart = parts.filter(part => !isSent(part));
  if (apart.length === 0 || request.keptDir === undefined) return undefined;
  const store = await ensureKeptStore(git, request.keptDir, await readIdExample(git, place, survey));
  const added = await storeParts(git, store, apart, { scratch, known });
  const tree = await writeTree(git, store, join(scratch, 'kept-index'), { added });
  const message = 'carrel: what git must not send';
  const commit = await writeCommit(git, store, { tree, parents: [], message, at: request.now });
  await pinKept(git, store, request.ref, commit);
  request.onKept?.();
  return commit;
}

/** An id of the repository, for its length. */
async function readIdExample(
  git: Git,
  { commonDir }: WorkTreePlace,
  { entries }: WorkTreeSurvey,
): Promise<string> {
  const [entry] = entries;
  return entry?.id ?? (await git.text(['hash-object', '--stdin'], { gitDir: commonDir, stdin: '' }));
}

async function storeParts(
  git: Git,
  store: string,
  parts: readonly Part[],
  { scratch: temporaryRoot, known }: Pick<ExtrasInput, 'scratch' | 'known'>,
): Promise<TreeFile[]> {
  const stored: TreeFile[] = [];
  for (const { folder, files, isForeign } of parts) {
    const to = { store, temporaryRoot, isForeign, known };
    const added = inFolder(folder, await storeRawFiles(git, to, files));
    for (const file of added) stored.push(file);
  }
  return stored;
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
    ...(survey.hasUnreadableIndex ? { hasUnreadableIndex: true } : {}),
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

/** Links have no mode. */
function fileFact(path: BytePath, tree: string, mode: number): ModeFact[] {
  if (tree === '100755') return [{ path, kind: 'executable', mode }];
  return tree === '100644' ? [{ path, kind: 'file', mode }] : [];
}
