import type { Context } from '../../operations/context.js';
import { type DiffInput, diffWorkspace } from '../../operations/workspace/diff.js';

export interface Patch {
  readonly text: string;
  /** The size of the whole patch, including what is not in `text`. */
  readonly bytes: number;
  readonly isLimited: boolean;
  /** Files that cannot be in a patch. */
  readonly skipped: readonly string[];
}

/** The changes of a workspace, with at most `limit` bytes in memory. */
export async function readPatch(context: Context, input: DiffInput, limit: number): Promise<Patch> {
  const kept: Buffer[] = [];
  let bytes = 0;
  const { skipped } = await diffWorkspace(context, input, chunk => {
    if (bytes < limit) kept.push(chunk.subarray(0, limit - bytes));
    bytes += chunk.length;
  });
  const isLimited = bytes > limit;
  const text = Buffer.concat(kept).toString('utf8');
  return { text: isLimited ? wholeLines(text) : text, bytes, isLimited, skipped };
}

const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1);
