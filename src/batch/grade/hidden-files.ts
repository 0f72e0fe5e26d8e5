import { isCarrelError } from '../../domain/error.js';
import { displayPath } from '../../git/byte-path.js';
import type { GradingBench } from './grading-bench.js';
import { splitPatch } from './patch-sections.js';

/** Contents by path of what the agent never saw, as it is put in place. */
export type HiddenFiles = ReadonlyMap<string, Buffer>;

const MOST_BYTES = 16 * 1024 ** 2;

/** Puts the hidden files in place. The hidden patch is applied by then; what it made is remembered with them. */
export async function placeHidden(bench: GradingBench): Promise<HiddenFiles> {
  const files = new Map<string, Buffer>();
  for (const [path, content] of Object.entries(bench.item.hidden ?? {})) {
    files.set(path, Buffer.from(content));
    await write(bench, path, Buffer.from(content));
  }
  for (const path of patchedPaths(bench)) {
    const content = files.has(path) ? undefined : await bench.environment.readFile(path, MOST_BYTES);
    if (content) files.set(path, content);
  }
  return files;
}

/** Nobody looks at them again after the last grader. */
function patchedPaths({ item: { graders, hiddenPatch } }: GradingBench): string[] {
  if (graders.length < 2 || hiddenPatch === undefined) return [];
  return splitPatch(Buffer.from(hiddenPatch)).map(({ to }) => displayPath(to));
}

const write = ({ environment }: GradingBench, path: string, content: Buffer): Promise<void> =>
  environment.writeFile(path, content, { executable: content.subarray(0, 2).toString() === '#!' });

export interface RestoredFiles {
  /** Those that were not as they had been put in place. */
  readonly changed: readonly string[];
  /** One whose place can't be written any more. */
  readonly lost: string | undefined;
}

/**
 * Before the next grader: the one before ran the agent's code, which can write where it likes in the copy. What can't be
 * put back, because a link is in its way, is lost.
 */
export async function restoreHidden(bench: GradingBench, files: HiddenFiles): Promise<RestoredFiles> {
  const changed: string[] = [];
  for (const [path, content] of files) {
    if ((await bench.environment.readFile(path, content.length))?.equals(content)) continue;
    changed.push(path);
    if (!(await canWrite(bench, path, content))) return { changed, lost: path };
  }
  return { changed, lost: undefined };
}

async function canWrite(bench: GradingBench, path: string, content: Buffer): Promise<boolean> {
  try {
    await write(bench, path, content);
    return true;
  } catch (error) {
    if (isCarrelError(error, 'UNSAFE_PATH')) return false;
    throw error;
  }
}
