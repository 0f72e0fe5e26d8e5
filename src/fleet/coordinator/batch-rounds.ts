import type { AttemptJob } from '../../batch/plan/resume-plan.js';
import type { JobResult } from '../engine/job.js';
import { acknowledge, type FleetBatch, mirrorOne, nameOfJob, nameOfKey } from './fleet-batch.js';
import {
  createRound,
  isCurrent,
  listRounds,
  type Round,
  type RoundBasis,
  type RoundTerms,
  type SubmittedRound,
} from './rounds.js';
import { runRound } from './run-round.js';

/** Mirrors what the fleet has done, and lets it do the rest: in the last round, or in a new one. */
export async function finishRounds(batch: FleetBatch): Promise<void> {
  const rounds = await listRounds(batch.input.engine, batch.input.run.plan);
  let last: MirroredRound | undefined;
  for (const round of rounds) last = { round, results: await mirrorRound(batch, round) };
  const going = last && canContinue(batch, last) ? last : undefined;
  if (last && !going) await endRound(batch, last);
  const { gradeOn, drain } = batch.input;
  const part = gradeOn === undefined ? undefined : ('work' as const);
  const next = { going, round: rounds.length + 1 };
  const isNew = await runPart(batch, listWork(batch), { ...next, part });
  if (drain?.aborted) return;
  const round = isNew ? next.round + 1 : next.round;
  if (gradeOn !== undefined) await runPart(batch, listUngraded(batch), { going, round, part: 'grade' });
  else reportUngraded(batch);
}

interface NextRound extends Pick<RoundTerms, 'round' | 'part'> {
  /** The last one, when it can be continued. */
  readonly going: MirroredRound | undefined;
}

/** In the last round, when it is of this part, or in a new one; true for a new one. */
async function runPart(
  batch: FleetBatch,
  jobs: readonly AttemptJob[],
  { going, ...terms }: NextRound,
): Promise<boolean> {
  if (jobs.length === 0) return false;
  const continued = going && isGrading(going.round) === (terms.part === 'grade') ? going : undefined;
  const round = continued?.round ?? createRound(basisOf(batch), terms, batch.context.now());
  const after = continued?.results.length ?? 0;
  const { spentUsd } = continued?.round.summary ?? { spentUsd: 0 };
  await runRound(batch, { round, jobs, after, spentUsd });
  return continued === undefined;
}

const isGrading = ({ terms }: Round): boolean => terms.part === 'grade';

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
  const left = isGrading(round) ? listUngraded(batch) : listWork(batch);
  const isRepeated = left.some(job => done.has(nameOfJob(job)));
  return !isRepeated && isCurrent(round, basisOf(batch), batch.context.now());
}

/** Without work that only needs grading: on another host, the agent would work and cost again. */
const listWork = ({ listLeft }: FleetBatch): AttemptJob[] => listLeft().filter(({ ungraded }) => !ungraded);

const listUngraded = ({ listLeft }: FleetBatch): AttemptJob[] =>
  listLeft().filter(({ ungraded }) => ungraded);

function reportUngraded(batch: FleetBatch): void {
  const { length } = listUngraded(batch);
  const { id } = batch.input.run.plan;
  if (length > 0)
    batch.context.narrate(`${length} attempts only need grading; do it here with: carrel eval resume ${id}`);
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
