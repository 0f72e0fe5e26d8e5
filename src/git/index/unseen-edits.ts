import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readlinkSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errnoOf } from '../../domain/error/error.js';
import { type BytePath, quoteBytePath, toBytes, toFsPath } from '../byte-path.js';
import { READ_WITHOUT_FOLLOWING } from '../files/pinned-file.js';
import { statExactly } from '../files/read-directory.js';
import type { Git, GitOptions } from '../git.js';
import {
  ENTRY_MODES,
  entryId,
  entryMode,
  isHiddenEntry,
  isMergedEntry,
  readPaths,
} from './git-index-entries.js';
import { type DatedIndex, loadDatedIndex } from './git-index-file.js';
import { isWithinTick, matchesInSeconds, matchesStat } from './index-stat.js';

/** A tracked file, as its index entry has it. */
export interface TrackedEntry {
  readonly path: BytePath;
  readonly mode: string;
  readonly id: string;
}

interface IndexedWorkTree extends GitOptions {
  readonly gitDir: string;
  readonly workTree: string;
}

/**
 * Tracked files that were changed and that git considers unchanged. The usual build of git compares whole seconds, so it
 * misses an edit of the same size made within a second of the file's last change and with its old time restored (`cp -p`,
 * `tar`, `rsync -t` with a file of a fixed time). Here every entry is compared to the nanosecond; files that differ, or are
 * too close to the index's own time to be sure, are read. Files that git reads anyway are not listed.
 */
export async function findUnseenEdits(
  git: Git,
  indexed: IndexedWorkTree,
  loaded?: ReturnType<typeof loadAnyIndex>,
): Promise<BytePath[]> {
  const doubtful = await findDoubtful(git, indexed, false, loaded);
  if (doubtful.length === 0) return [];
  const stdin = doubtful.map(({ path }) => `${quoteBytePath(path)}\n`).join('');
  // Line endings and filters: git may store other bytes than the file has. 128: one of them can't be read.
  const cleaned = await git.run(['hash-object', '--stdin-paths'], { ...indexed, stdin, answers: [0, 128] });
  const ids = cleaned.stdout.toString('latin1').split('\n');
  return doubtful.filter(({ id, mode }, at) => mode === LINK || ids[at] !== id).map(({ path }) => path);
}

const LINK = ENTRY_MODES.link.toString(8);

/**
 * Makes git read the files of an index where it would miss an edit. `from` is the index as it was written, when `index` is a
 * copy that was changed since; assume-unchanged and skip-worktree entries are included.
 */
export async function clearDoubtfulStats(
  git: Git,
  index: IndexedWorkTree & { readonly indexFile: string },
  from: string,
): Promise<void> {
  await clearStats(git, index, await findDoubtful(git, { ...index, indexFile: from }, true));
}

/** Drops the stat data of these files from the index, so that git has to read them. */
export async function clearStats(
  git: Git,
  index: GitOptions,
  entries: readonly TrackedEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const stdin = toBytes(entries.map(({ mode, id, path }) => `${mode} ${id} 0\t${path}\0`).join(''));
  await git.run(['update-index', '-z', '--index-info'], { ...index, stdin });
}

/** Files that git would not read and whose bytes are not those of the blob. */
export async function findDoubtful(
  git: Git,
  indexed: IndexedWorkTree,
  withHidden: boolean = false,
  loaded?: ReturnType<typeof loadAnyIndex>,
): Promise<TrackedEntry[]> {
  const file = indexed.indexFile ?? join(indexed.gitDir, 'index');
  if (!existsSync(file)) return [];
  const index = loaded ?? loadAnyIndex(file);
  const suspects =
    'unusable' in index
      ? await listSuspectsOfGit(git, indexed, file, withHidden)
      : await findSuspects(index, indexed.workTree, withHidden);
  const doubtful: TrackedEntry[] = [];
  for (const [at, entry] of suspects.entries()) {
    if (!hasContent(indexed.workTree, entry)) doubtful.push(entry);
    if (at % FILES_AT_ONCE === FILES_AT_ONCE - 1) await nextTurn();
  }
  return doubtful;
}

/** Of the usual size about 2 ms. */
const FILES_AT_ONCE = 32;

/** The checksum at the end shows the length of ids. */
export function loadAnyIndex(file: string): ReturnType<typeof loadDatedIndex> {
  const index = loadDatedIndex(file, 20);
  return 'unusable' in index ? loadDatedIndex(file, 32) : index;
}

/** Files that git would not read and whose times to the nanosecond do not prove that they are the same. */
async function findSuspects(
  index: DatedIndex,
  workTree: string,
  withHidden: boolean,
): Promise<TrackedEntry[]> {
  const suspects: TrackedEntry[] = [];
  for (const [entry, path] of readPaths(index).entries()) {
    if (entry % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await nextTurn();
    const mode = entryMode(index, entry);
    if (mode === ENTRY_MODES.submodule || !isMergedEntry(index, entry)) continue;
    if (!withHidden && isHiddenEntry(index, entry)) continue;
    const info = statExactly(workTree, path);
    if (!info || !matchesInSeconds(index, entry, info)) continue;
    if (matchesStat(index, entry, info) && !isWithinTick(index, entry)) continue;
    suspects.push({ path, mode: mode.toString(8), id: entryId(index, entry) });
  }
  return suspects;
}

/** About 10 ms. */
const ENTRIES_AT_ONCE = 2000;

/** The same for an index in parts (split, sparse), which only git can read. May list files that git reads as well. */
async function listSuspectsOfGit(
  git: Git,
  indexed: IndexedWorkTree,
  file: string,
  withHidden: boolean,
): Promise<TrackedEntry[]> {
  const writtenAt = statSync(file, { bigint: true }).mtimeNs;
  const { stdout } = await git.run(['ls-files', '--stage', '-v', '--debug', '-z'], indexed);
  const isSuspect = ({ path, tag, stage, mode, ctime, mtime }: DebugEntry) => {
    if (stage !== '0' || mode === SUBMODULE || (!withHidden && tag !== 'H')) return false;
    const info = statExactly(indexed.workTree, path);
    return info && (info.ctimeNs !== ctime || info.mtimeNs !== mtime || ctime + COARSE_TICK > writtenAt);
  };
  return parseDebug(stdout.toString('latin1')).filter(isSuspect);
}

const SUBMODULE = ENTRY_MODES.submodule.toString(8);
/** In nanoseconds; long enough for file systems with whole seconds only. */
const COARSE_TICK = 2_000_000_000n;

interface DebugEntry extends TrackedEntry {
  readonly tag: string;
  readonly stage: string;
  readonly ctime: bigint;
  readonly mtime: bigint;
}

/** `H 100644 <id> 0<TAB>path`, NUL, then five lines of stat data that begin with `  ctime: <seconds>:<nanoseconds>`. */
function parseDebug(text: string): DebugEntry[] {
  const parts = text.split('\0');
  let head = parts[0] ?? '';
  return parts.slice(1).map(part => {
    const lines = part.split('\n');
    const [tag = '', mode = '', id = '', stage = ''] = head.slice(0, head.indexOf('\t')).split(' ');
    const path = head.slice(head.indexOf('\t') + 1);
    head = lines.slice(DEBUG_LINES).join('\n');
    return { path, tag, mode, id, stage, ctime: parseTime(lines[0]), mtime: parseTime(lines[1]) };
  });
}

const DEBUG_LINES = 5;

function parseTime(line: string | undefined): bigint {
  const [, seconds = '0', nanoseconds = '0'] = /: (\d+):(\d+)$/.exec(line ?? '') ?? [];
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);
}

/** Whether the bytes of the file are those of the blob. False when it can't be read. */
export function hasContent(workTree: string, { path, mode, id }: TrackedEntry): boolean {
  const place = toFsPath(workTree, path);
  try {
    if (mode === LINK) {
      const target = readlinkSync(place, { encoding: 'buffer' });
      return startHash(id, target.length).update(target).digest('hex') === id;
    }
    return hashFile(place, id) === id;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

const CHUNK_BYTES = 1 << 20;

function hashFile(place: Buffer, id: string): string {
  const file = openSync(place, READ_WITHOUT_FOLLOWING);
  try {
    const { size } = fstatSync(file);
    const hash = startHash(id, size);
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
    for (let at = 0; at < size; ) {
      const count = readSync(file, buffer, 0, buffer.length, at);
      if (count === 0) break;
      hash.update(buffer.subarray(0, count));
      at += count;
    }
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}

const startHash = (id: string, bytes: number) =>
  createHash(id.length === 64 ? 'sha256' : 'sha1').update(`blob ${bytes}\0`);
