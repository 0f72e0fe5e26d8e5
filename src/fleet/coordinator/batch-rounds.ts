import type { AttemptJob } from '../../batch/plan/resume-plan.js';
import type { JobResult } from '../engine/job.js';
import { acknowledge, type FleetBatch, mirrorOne, nameOfJob, nameOfKey } from './fleet-batch.js';
import {
  createRound,
  isCurrent,
  listRounds,
  type Round,
  type RoundBasis,
  type SubmittedRound,
} from './rounds.js';
import { runRound } from './run-round.js';

/** Mirrors what the fleet has done, and lets it do the rest: in the last round, or in a new one. */
export async function finishRounds(batch: FleetBatch): Promise<void> {
  const rounds = await listRounds(batch.input.engine, batch.input.run.plan);
  let last: MirroredRound | undefined;
  for (const round of rounds) last = { round, results: await mirrorRound(batch, round) };
  const continued = last && canContinue(batch, last) ? last : undefined;
  if (last && !continued) await endRound(batch, last);
  const jobs = listWork(batch);
  if (jobs.length === 0) return;
  const round = continued?.round ?? createRound(basisOf(batch), rounds.length + 1, batch.context.now());
  const after = continued?.results.length ?? 0;
  await runRound(batch, { round, jobs, after, spentUsd: continued?.round.summary.spentUsd ?? 0 });
}

interface MirroredRound {
  readonly round: SubmittedRound;
  readonly results: readonly JobResult[];
}

const basisOf = ({ input, key, all }: FleetBatch): RoundBasis => ({
  plan: input.run.plan,
  identities: all.map(({ item, attempt, identity }) => `${item.id} ${attempt} ${identity}`),
  submitter: key.publicKey,
});

/** Not when an attempt is to be repeated: in its round it has a result already. */
function canContinue(batch: FleetBatch, { round, results }: MirroredRound): boolean {
  const done = new Set(results.map(({ key }) => nameOfKey(key)));
  const isRepeated = batch.listLeft().some(job => done.has(nameOfJob(job)));
  return !isRepeated && isCurrent(round, basisOf(batch), batch.context.now());
}

/** Work that only needs grading stays as it is: on another host, the agent would work and cost again. */
function listWork({ context, input, listLeft }: FleetBatch): AttemptJob[] {
  const left = listLeft();
  const jobs = left.filter(({ ungraded }) => !ungraded);
  const ungraded = left.length - jobs.length;
  const { id } = input.run.plan;
  if (ungraded > 0)
    context.narrate(`${ungraded} attempts only need grading; do it here with: carrel eval resume ${id}`);
  return jobs;
}

/** Gives all results of the round. */
async function mirrorRound(batch: FleetBatch, round: Round): Promise<JobResult[]> {
  const results: JobResult[] = [];
  for (;;) {
    const next = await batch.input.engine.results(round.id, results.length);
    for (const result of next) await mirrorOne(batch, result);
    results.push(...next);
    if (next.length > 0) continue;
    await acknowledge(batch, round.id, results.length);
    return results;
  }
}

/** Nothing of it runs when this returns: what it had done until then is mirrored. */
async function endRound(batch: FleetBatch, { round, results }: MirroredRound): Promise<void> {
  const { waiting, open, claimed } = round.summary.jobs;
  if (waiting + open + claimed === 0) return;
  const { engine, run } = batch.input;
  await engine.cancel(round.id);
  let after = results.length;
  for await (const result of engine.watch(round.id, { after, signal: run.lost })) {
    await mirrorOne(batch, result);
    after = result.sequence;
  }
  await acknowledge(batch, round.id, after);
}
