import type { BatchRun } from '../../domain/batch-run.js';
import { inOrder } from './in-order.js';
import type { Write } from './write.js';

/** One attempt to the line, as index.jsonl has them, in the order of the plan. */
export async function writeJsonLines(run: BatchRun, write: Write): Promise<readonly string[]> {
  for (const attempt of inOrder(run)) await write(`${JSON.stringify(attempt)}\n`);
  return [];
}
