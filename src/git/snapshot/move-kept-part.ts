import { join } from 'node:path';
import { withScratchDirectory } from '../disk/scratch-directory.js';
import type { Git } from '../git.js';
import { readBlob, readParents } from '../objects/read-objects.js';
import { type TreeFile, writeBlobs, writeCommit, writeTree } from '../objects/write-objects.js';
import { readRef, updateRefs } from '../refs/refs.js';
import { receivePack } from './import-objects.js';
import { ensureKeptStore, pinKept } from './kept-store.js';
import { formatMeta, isApart, META_FILE, parseMeta, type SnapshotMeta } from './snapshot-meta.js';

export interface MoveApartRequest {
  readonly objectStore: string;
  /** The ref of the snapshot. */
  readonly ref: string;
  readonly keptDir: string;
  readonly temporaryRoot: string;
  /** Called when the part is pinned in the store and still in the snapshot. */
  readonly onKept?: (() => void) | undefined;
}

export interface MovedSnapshot {
  readonly from: string;
  readonly to: string;
  /** The commit with what was moved. */
  readonly kept: string;
}

/**
 * Moves what git must never push out of a snapshot of an earlier version: first it is copied and pinned, then the ref is
 * moved to a snapshot without it, by compare-and-swap. So all bytes are pinned at every moment. Idempotent: returns the same
 * result for a moved snapshot. Undefined when there is nothing to move.
 */
export async function moveApart(git: Git, request: MoveApartRequest): Promise<MovedSnapshot | undefined> {
  const { objectStore, ref } = request;
  const from = await readRef(git, { gitDir: objectStore }, ref);
  const parents = from === undefined ? [] : await readParents(git, objectStore, from);
  const extras = parents.at(-1);
  // A plain directory's snapshot has one parent at most, and is not in a repository of the user's.
  if (from === undefined || extras === undefined || parents.length < 2) return undefined;
  const meta = parseMeta<SnapshotMeta>(await readBlob(git, objectStore, extras, META_FILE), from);
  if (meta.movedFrom !== undefined && meta.kept !== undefined)
    return { from: meta.movedFrom, to: from, kept: meta.kept };
  const files = meta.kept === undefined ? await listFiles(git, objectStore, extras) : [];
  const apart = files.filter(({ path }) => isApart(path));
  if (apart.length === 0) return undefined;
  return withScratchDirectory(request.temporaryRoot, async scratch => {
    const kept = await copyApart(git, request, from, apart, scratch);
    request.onKept?.();
    const sent = files.filter(({ path }) => !isApart(path) && path !== META_FILE);
    const without = { ...meta, kept, movedFrom: from };
    const newExtras = await writeExtras(git, objectStore, extras, sent, without, scratch);
    const to = await rewriteCommit(git, objectStore, from, `parent ${extras}`, `parent ${newExtras}`);
    await updateRefs(git, { gitDir: objectStore }, [{ ref, from, to }]);
    return { from, to, kept };
  });
}

async function listFiles(git: Git, gitDir: string, commit: string): Promise<TreeFile[]> {
  const records = await git.records(['ls-tree', '-r', '-z', '--full-tree', commit], { gitDir });
  return records.map(record => {
    // `100644 blob <id>`, a tab, the path.
    const tab = record.indexOf('\t');
    const [mode = '', , id = ''] = record.slice(0, tab).split(' ');
    return { mode, id, path: record.slice(tab + 1) };
  });
}

/** Returns the pinned commit. Deterministic: repeating gives the same commit. */
async function copyApart(
  git: Git,
  { objectStore, ref, keptDir }: MoveApartRequest,
  snapshot: string,
  files: readonly TreeFile[],
  scratch: string,
): Promise<string> {
  const store = await ensureKeptStore(git, keptDir, snapshot);
  const ids = [...new Set(files.map(file => file.id))];
  const packed = await git.text(['pack-objects', '--quiet', join(scratch, 'pack')], {
    gitDir: objectStore,
    stdin: `${ids.join('\n')}\n`,
    config: ['pack.packSizeLimit=0'],
  });
  await receivePack(git, store, join(scratch, `pack-${packed}.pack`), ids.length);
  const tree = await writeTree(git, store, join(scratch, 'kept-index'), { added: files });
  const seconds = await git.text(['show', '--no-patch', '--format=%ct', snapshot], { gitDir: objectStore });
  const at = new Date(Number(seconds) * 1000);
  const message = 'carrel: what git must not send';
  const commit = await writeCommit(git, store, { tree, parents: [], message, at });
  await pinKept(git, store, ref, commit);
  return commit;
}

async function writeExtras(
  git: Git,
  store: string,
  extras: string,
  files: readonly TreeFile[],
  meta: SnapshotMeta,
  scratch: string,
): Promise<string> {
  const [id = ''] = await writeBlobs(git, store, scratch, [formatMeta(meta)]);
  const added = [...files, { path: META_FILE, mode: '100644', id }];
  const tree = await writeTree(git, store, join(scratch, 'extras-index'), { added });
  const old = await git.text(['rev-parse', `${extras}^{tree}`], { gitDir: store });
  return rewriteCommit(git, store, extras, `tree ${old}`, `tree ${tree}`);
}

/** The same commit with one line of its head changed. */
async function rewriteCommit(
  git: Git,
  gitDir: string,
  commit: string,
  line: string,
  instead: string,
): Promise<string> {
  const text = (await git.run(['cat-file', 'commit', commit], { gitDir })).stdout.toString('latin1');
  const at = text.lastIndexOf(`${line}\n`, text.indexOf('\n\n'));
  const content = text.slice(0, at) + instead + text.slice(at + line.length);
  const stdin = Buffer.from(content, 'latin1');
  const command = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  return git.text(command, { gitDir, stdin, config: ['core.fsync=all'] });
}
