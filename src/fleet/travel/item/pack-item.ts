import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type EvalItem, EvalItemSchema } from '../../../domain/batch/eval-item.js';
import { carrelError } from '../../../domain/error/error.js';
import { canonicalJson } from '../../../domain/fleet/canonical-json.js';

/** An item with hidden files and solution. */
export const MOST_ITEM_BYTES = 64 * 1024 ** 2;

/**
 * An item as a blob: as it is in the dataset, with its base as it was pinned, so that its identity stays the same. The
 * path or URL of the base is only a name on the worker, which gets the files as a bundle.
 */
export function packItem(item: EvalItem): Buffer {
  const bytes = Buffer.from(canonicalJson(item));
  if (bytes.length <= MOST_ITEM_BYTES) return bytes;
  const what = `the task ${item.id}`;
  throw carrelError('BLOB_TOO_LARGE', { what, bytes: bytes.length, limitBytes: MOST_ITEM_BYTES });
}

/** JOB_INVALID. */
export async function unpackItem(file: string): Promise<EvalItem> {
  const parsed = TravellingItemSchema.safeParse(parse(await readFile(file, 'utf8')));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw carrelError('JOB_INVALID', {
    problem: `its item, ${issue?.path.join('.')}: ${issue?.message ?? 'invalid'}`,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A pinned directory also has the hash of its files. */
const [FilesBase, DirectoryBase, GitBase] = EvalItemSchema.shape.base.options;
const TravellingItemSchema = EvalItemSchema.extend({
  base: z.discriminatedUnion('kind', [
    FilesBase,
    DirectoryBase.extend({ content: z.string().optional() }),
    GitBase,
  ]),
});
