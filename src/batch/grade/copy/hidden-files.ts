import { isCarrelError } from '../../../domain/error/error.js';
import { displayPath } from '../../../git/byte-path.js';
import type { GradingBench } from '../grading-context.js';
import { splitPatch } from './patch-sections.js';
import { listPresent, removePlanted } from './planted-files.js';
import { listProtected, type ProtectedFile } from './protected-files.js';
import { namesPath } from './rewritten-files.js';

/** The graders' own files, as they are when the first grader starts. */
export interface HiddenFiles {
  /** Hidden and protected files, by path. */
  readonly files: ReadonlyMap<string, HiddenFile>;
  /** All files in protected places, from the base and others. */
  readonly present: ReadonlySet<string>;
}

interface HiddenFile {
  readonly content: Buffer;
  readonly executable: boolean;
}

const MOST_BYTES = 16 * 1024 ** 2;

/**
 * Puts the hidden files in place. The hidden patch has been applied already; its files are remembered with them, and so is
 * what the item protects.
 */
export async function placeHidden(bench: GradingBench): Promise<HiddenFiles> {
  const files = new Map<string, HiddenFile>();
  for (const [path, text] of Object.entries(bench.item.hidden ?? {})) {
    const file = toFile(Buffer.from(text));
    files.set(path, file);
    await write(bench, path, file);
  }
  for (const { path, executable } of await listOthers(bench)) {
    const content = files.has(path) ? undefined : await bench.environment.readFile(path, MOST_BYTES);
    if (content) files.set(path, toFile(content, executable));
  }
  return { files, present: new Set(runsSeveral(bench) ? await listPresent(bench) : []) };
}

/** With only one command, the files it names: see rewritten-files.ts. */
async function listOthers(bench: GradingBench): Promise<ProtectedFile[]> {
  const { graders, protect = [] } = bench.item;
  const isNamed = (path: string) => runsSeveral(bench) || graders.some(grader => namesPath(grader, path));
  const patched = patchedPaths(bench).map(path => ({ path, executable: false }));
  const others = [...patched, ...(protect.some(isNamed) ? await listProtected(bench) : [])];
  return others.filter(({ path }) => isNamed(path));
}

const toFile = (content: Buffer, executable = false): HiddenFile => ({
  content,
  executable: executable || content.subarray(0, 2).toString() === '#!',
});

/** Files added by the last command do not matter. */
const runsSeveral = ({ item: { graders } }: GradingBench): boolean =>
  graders.length > 1 || graders.some(grader => grader.kind === 'files' && grader.expect.length > 1);

function patchedPaths({ item: { hiddenPatch } }: GradingBench): string[] {
  if (hiddenPatch === undefined) return [];
  return splitPatch(Buffer.from(hiddenPatch)).map(({ to }) => displayPath(to));
}

const write = (
  { environment }: GradingBench,
  path: string,
  { content, executable }: HiddenFile,
): Promise<void> => environment.writeFile(path, content, { executable });

export interface RestoredFiles {
  /** Files that had been changed. */
  readonly changed: readonly string[];
  /** Files that had been added in protected places; they have been removed. */
  readonly planted: readonly string[];
  /** A file that can no longer be restored or removed. */
  readonly lost: string | undefined;
}

/**
 * Before the next command: the one before ran the agent's code, which can write anywhere in the copy. What cannot
 * be restored, because a link is in its place, is lost.
 */
export async function restoreHidden(
  bench: GradingBench,
  { files, present }: HiddenFiles,
): Promise<RestoredFiles> {
  const changed: string[] = [];
  for (const [path, file] of files) {
    if ((await bench.environment.readFile(path, file.content.length))?.equals(file.content)) continue;
    changed.push(path);
    if (!(await canWrite(bench, path, file))) return { changed, planted: [], lost: path };
  }
  return { changed, ...(await removePlanted(bench, present)) };
}

async function canWrite(bench: GradingBench, path: string, file: HiddenFile): Promise<boolean> {
  try {
    await write(bench, path, file);
    return true;
  } catch (error) {
    if (isCarrelError(error, 'UNSAFE_PATH')) return false;
    throw error;
  }
}
