import { lstatSync, readFileSync } from 'node:fs';
import { type BytePath, quoteBytePath, toBytes, toFsPath } from '../../byte-path.js';
import { escapePath } from '../../files/tree-path.js';
import type { Git } from '../../git.js';
import type { CleanFiles } from '../../work-tree/clean-files.js';
import type { WorkTreePlace } from '../../work-tree-place.js';
import { listAdminFiles } from '../admin-files.js';
import type { Modes } from '../file-modes.js';
import { ensureKeptStore } from '../kept-store.js';
import { type RawFile, toRawFile, treeMode } from '../raw-files.js';
import {
  FOLDERS,
  formatMeta,
  isApart,
  META_FILE,
  type SnapshotHead,
  type SnapshotMeta,
} from '../snapshot-meta.js';
import type { Captured } from './capture-request.js';

export interface CleanCaptureRequest {
  /** Where the snapshot is pinned; must not exist. */
  readonly ref: string;
  readonly message: string | null;
  /** What HEAD points to; a branch whose tip is the commit. */
  readonly head: SnapshotHead & { readonly commit: string };
  /** The tree of HEAD, which is the index and the files too. */
  readonly tree: string;
  readonly files: CleanFiles;
  /** Further commits to keep, such as the one that the work started from. */
  readonly commits: readonly string[];
  /** Where to store the included files, which git must never push (see kept-store.ts). */
  readonly keptDir?: string | undefined;
  readonly onKept?: (() => void) | undefined;
  readonly now: Date;
}

/**
 * The snapshot of a work tree that was found clean: in the usual form (see snapshot-meta.ts), but made without reading the
 * files and by one process instead of thirty. Like every other it is on disk when this returns.
 */
export async function captureClean(
  git: Git,
  place: WorkTreePlace,
  request: CleanCaptureRequest,
): Promise<Captured & { readonly modes: Modes }> {
  const admin = (await listAdminFiles(place)).filter(file => !/^(shared)?index/.test(file.path));
  const included = request.files.included.flatMap(path => readIncluded(place, path));
  const modes = describeModes(place, request.files, included);
  const files = [...inFolder(FOLDERS.admin, admin), ...inFolder(FOLDERS.ignored, included)];
  const kept = await keepApart(git, request, files);
  if (kept !== undefined) request.onKept?.();
  const sent = kept === undefined ? files : files.filter(({ path }) => !isApart(path));
  const meta = formatMeta<SnapshotMeta>({ ...describe(request, modes), kept });
  const content = [{ path: META_FILE, mode: '100644', content: meta }, ...sent];
  const commit = await importStream(git, place.commonDir, formatStream(request, content));
  return { commit, kept, files: included.length, omitted: [], modes };
}

/** Returns the pinned commit; undefined when there is nothing to store separately, or no store. */
async function keepApart(
  git: Git,
  request: CleanCaptureRequest,
  files: readonly Content[],
): Promise<string | undefined> {
  const { keptDir, ref, tree } = request;
  const apart = files.filter(({ path }) => isApart(path));
  if (apart.length === 0 || keptDir === undefined) return undefined;
  const store = await ensureKeptStore(git, keptDir, tree);
  const message = 'carrel: what git must not send';
  const changes = apart.flatMap(formatFile);
  return importStream(git, store, [
    ...formatCommit({ ...request, ref: `${ref}/clean` }, ':1', message, [], changes),
    line('get-mark :1'),
    line('done'),
  ]);
}

/** Returns the id of the commit that the stream requests. */
const importStream = (git: Git, gitDir: string, stream: readonly Buffer[]): Promise<string> =>
  git.text(['fast-import', '--quiet', '--done', '--date-format=raw'], {
    gitDir,
    stdin: Buffer.concat(stream),
    config: [
      'core.fsync=all',
      'fastimport.unpackLimit=1000',
      'core.protectNTFS=false',
      'core.protectHFS=false',
    ],
  });

function readIncluded(place: WorkTreePlace, path: BytePath): RawFile[] {
  const info = lstatSync(toFsPath(place.workTree, path), { throwIfNoEntry: false });
  if (!info?.isFile()) return [];
  return [toRawFile(place.workTree, path, { kind: 'file', mode: info.mode & 0o7777, bytes: info.size })];
}

/** A sample only; all files are checked before they are deleted. */
function describeModes(
  place: WorkTreePlace,
  { index, directoryMode }: CleanFiles,
  included: readonly RawFile[],
): Modes {
  const modeOf = (path: BytePath | undefined, otherwise: number) =>
    path === undefined ? otherwise : lstatSync(toFsPath(place.workTree, path)).mode & 0o7777;
  const top = modeOf('', 0o755);
  const usual = {
    file: modeOf(index.examples.file, 0o644),
    executable: modeOf(index.examples.executable, 0o755),
    directory: directoryMode ?? top,
  };
  const usualOf = (file: RawFile) => (treeMode(file) === '100755' ? usual.executable : usual.file);
  const exceptions = included.filter(file => file.mode !== usualOf(file));
  return {
    ...usual,
    exceptions: [
      ...(top === usual.directory ? [] : [['', top] as const]),
      ...exceptions.map(({ path, mode }) => [path, mode] as const),
    ],
  };
}

const describe = ({ head }: CleanCaptureRequest, modes: Modes): SnapshotMeta => ({
  head,
  branchTip: head.commit,
  isPresent: true,
  modes,
  emptyDirectories: [],
  absent: [],
  largeFiles: [],
  absorbed: [],
  omitted: [],
  hasPlainIndex: true,
});

interface Content {
  readonly path: BytePath;
  readonly mode: string;
  readonly content: Buffer;
}

const inFolder = (folder: string, files: readonly RawFile[]): Content[] =>
  files.map(file => ({
    path: `${folder}/${escapePath(file.path)}`,
    mode: treeMode(file),
    content: readFileSync(toBytes(file.source)),
  }));

/** As git-fast-import(1) reads it. The ref is written at the end, when it points to the last of the three commits. */
function formatStream(request: CleanCaptureRequest, content: readonly Content[]): Buffer[] {
  const { head, tree, commits } = request;
  const root = [line(`M 040000 ${tree} `)];
  const further = [...new Set(commits)].filter(commit => commit !== head.commit);
  return [
    ...formatCommit(request, ':1', 'carrel: what was staged', [head.commit], root),
    ...formatCommit(request, ':2', 'carrel: what git does not track', further, content.flatMap(formatFile)),
    ...formatCommit(request, ':3', request.message ?? 'carrel: snapshot', [head.commit, ':1', ':2'], root),
    line('get-mark :3'),
    line('done'),
  ];
}

/** Without the reset a commit without parents would get the previous one as its parent. */
function formatCommit(
  { ref, now }: CleanCaptureRequest,
  mark: string,
  message: string,
  parents: readonly string[],
  changes: readonly Buffer[],
): Buffer[] {
  const seconds = Math.floor(now.getTime() / 1000);
  return [
    line(`reset ${ref}`),
    line(''),
    line(`commit ${ref}`),
    line(`mark ${mark}`),
    line(`committer Carrel <carrel@localhost> ${seconds} +0000`),
    ...formatData(Buffer.from(`${message}\n`, 'utf8')),
    ...parents.map((parent, at) => line(`${at === 0 ? 'from' : 'merge'} ${parent}`)),
    line('deleteall'),
    ...changes,
    line(''),
  ];
}

const formatFile = ({ path, mode, content }: Content): Buffer[] => [
  line(`M ${mode} inline ${quoteBytePath(path)}`),
  ...formatData(content),
];

const formatData = (content: Buffer): Buffer[] => [line(`data ${content.length}`), content, line('')];

const line = (text: string): Buffer => Buffer.from(`${text}\n`, 'latin1');
