import { isCarrelError } from '../../domain/error.js';
import { displayPath } from '../../git/byte-path.js';
import type { GradingBench } from './grading-bench.js';
import { splitPatch } from './patch-sections.js';
import { listPresent, removePlanted } from './planted-files.js';
import { listProtected, type ProtectedFile } from './protected-files.js';
import { namesPath } from './rewritten-files.js';

/** What is the graders' own, as it is when the first of them begins. */
export interface HiddenFiles {
  /** Hidden ones and protected ones, by path. */
  readonly files: ReadonlyMap<string, HiddenFile>;
  /** Whatever is in protected places, the files of the base and others. */
  readonly present: ReadonlySet<string>;
}

interface HiddenFile {
  readonly content: Buffer;
  readonly executable: boolean;
}

const MOST_BYTES = 16 * 1024 ** 2;

/**
 * Puts the hidden files in place. The hidden patch is applied by then; what it made is remembered with them, and so is
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

/** Of the only command those that it names itself: see rewritten-files.ts. */
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

/** What was put somewhere by the last command is of no use to anybody. */
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
  /** Those that were not as they had been put in place. */
  readonly changed: readonly string[];
  /** Those that were not there, in protected places; they are gone. */
  readonly planted: readonly string[];
  /** One whose place can't be written or emptied any more. */
  readonly lost: string | undefined;
}

/**
 * Before the next command: the one before ran the agent's code, which can write where it likes in the copy. What can't
 * be put back, because a link is in its way, is lost.
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
