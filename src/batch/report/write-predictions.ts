import { isUtf8 } from 'node:buffer';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { BatchRun } from '../../domain/batch/batch-run.js';
import { isGraded } from '../../domain/batch/outcome-rules.js';
import { countOf } from './count-of.js';
import { inOrder } from './order-attempts.js';
import { readRunFile } from './run-file.js';
import type { Write } from './text-writer.js';

/**
 * predictions.jsonl for SWE-bench's harness. The harness keeps one prediction per instance, the last one of a file:
 * so only first attempts are written, which is what pass@1 needs. Attempts without a patch through no fault of
 * the agent are left out, so that they don't count as empty ones.
 */
export async function writePredictions(run: BatchRun, write: Write): Promise<readonly string[]> {
  const warnings: string[] = [];
  const further = run.attempts.filter(({ attempt }) => attempt > 1).length;
  if (further > 0)
    warnings.push(`${countOf(further, 'further attempt')} left out: predictions have one attempt per task`);
  for (const attempt of inOrder(run).filter(({ attempt }) => attempt === 1)) {
    const { patch, problem } = await readPatch(run, attempt);
    if (problem !== undefined) warnings.push(`${attempt.taskId} is left out: ${problem}`);
    else await write(`${JSON.stringify(toPrediction(run, attempt, patch))}\n`);
  }
  return warnings;
}

const toPrediction = ({ agent, model }: BatchRun, { taskId }: Attempt, patch: string) => ({
  instance_id: taskId,
  model_name_or_path: model === null ? agent : `${agent}/${model}`,
  model_patch: patch,
});

/** No realistic patch is near this size. */
const MOST_BYTES = 64 * 2 ** 20;

interface ReadPatch {
  readonly patch: string;
  readonly problem?: string;
}

async function readPatch({ directory }: BatchRun, { patchPath, outcome }: Attempt): Promise<ReadPatch> {
  if (patchPath === null)
    return isGraded(outcome) ? { patch: '' } : { patch: '', problem: `its outcome is ${outcome}` };
  const file = await readRunFile(directory, patchPath, { most: MOST_BYTES, from: 'start' });
  if (file === undefined) return { patch: '', problem: `${patchPath} is missing` };
  if (file.size > MOST_BYTES) return { patch: '', problem: `${patchPath} has ${file.size} bytes` };
  if (!isUtf8(file.bytes))
    return { patch: '', problem: `${patchPath} has bytes that are not UTF-8, which JSON cannot represent` };
  return { patch: file.bytes.toString() };
}
