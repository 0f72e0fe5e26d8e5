import { isUtf8 } from 'node:buffer';
import type { Attempt } from '../../domain/attempt.js';
import type { BatchRun } from '../../domain/batch-run.js';
import { isJudged } from '../../domain/outcome.js';
import { countOf } from './count-of.js';
import { inOrder } from './in-order.js';
import { readRunFile } from './run-file.js';
import type { Write } from './write.js';

/**
 * predictions.jsonl as SWE-bench's harness takes it. It keeps one prediction for each instance, the last one of a file:
 * so only first attempts are written, which is what pass@1 is about. Attempts that came to no patch through no fault of
 * the agent are left out, so that they don't count as empty ones.
 */
export async function writePredictions(run: BatchRun, write: Write): Promise<readonly string[]> {
  const warnings: string[] = [];
  const further = run.attempts.filter(({ attempt }) => attempt > 1).length;
  if (further > 0)
    warnings.push(`${countOf(further, 'further attempt')} left out: it holds one for each task`);
  for (const attempt of inOrder(run).filter(({ attempt }) => attempt === 1)) {
    const { patch, problem } = await readPatch(run, attempt);
    if (problem !== undefined) warnings.push(`${attempt.taskId} is not in it: ${problem}`);
    else await write(`${JSON.stringify(toPrediction(run, attempt, patch))}\n`);
  }
  return warnings;
}

const toPrediction = ({ agent, model }: BatchRun, { taskId }: Attempt, patch: string) => ({
  instance_id: taskId,
  model_name_or_path: model === null ? agent : `${agent}/${model}`,
  model_patch: patch,
});

/** No change that somebody would look at is near it. */
const MOST_BYTES = 64 * 2 ** 20;

interface ReadPatch {
  readonly patch: string;
  readonly problem?: string;
}

async function readPatch({ directory }: BatchRun, { patchPath, outcome }: Attempt): Promise<ReadPatch> {
  if (patchPath === null)
    return isJudged(outcome) ? { patch: '' } : { patch: '', problem: `it came out as ${outcome}` };
  const file = await readRunFile(directory, patchPath, { most: MOST_BYTES, from: 'start' });
  if (file === undefined) return { patch: '', problem: `${patchPath} is missing` };
  if (file.size > MOST_BYTES) return { patch: '', problem: `${patchPath} has ${file.size} bytes` };
  if (!isUtf8(file.bytes))
    return { patch: '', problem: `${patchPath} has bytes that are not UTF-8, which JSON can not hold` };
  return { patch: file.bytes.toString() };
}
