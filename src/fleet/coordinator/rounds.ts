import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { BatchPlan } from '../../domain/batch/batch-run.js';
import { isCarrelError } from '../../domain/error/error.js';
import type { Engine } from '../engine/engine.js';
import type { RunSummary } from '../engine/run.js';

/**
 * One submission of a batch. A job has one result for ever, so that attempts to be repeated, after an infrastructure
 * failure or a change of the dataset, are a new round: a run of the fleet with its own id.
 */
export interface Round {
  /** The id of its run in the fleet. The first round has the id of the batch. */
  readonly id: string;
  readonly terms: RoundTerms;
}

const RoundTermsSchema = z.strictObject({
  batch: z.string(),
  round: z.int().min(1),
  /** The work of agents without grading, or only grading; both by default. */
  part: z.enum(['work', 'grade']).optional(),
  /** A hash of the identities of all attempts: another one means other work. */
  work: z.string(),
  submitter: z.string(),
  /** No worker begins its jobs later. */
  deadline: z.iso.datetime(),
  dataset: z.string(),
  agent: z.string(),
});
export type RoundTerms = Readonly<z.infer<typeof RoundTermsSchema>>;

/** Signed jobs that no worker has begun after this time are not begun. */
export const JOB_LIFE_MS = 7 * 24 * 60 * 60_000;

/** What decides whether a round can be continued. */
export interface RoundBasis {
  readonly plan: Pick<BatchPlan, 'id' | 'dataset' | 'agent'>;
  readonly identities: readonly string[];
  readonly submitter: string;
}

export function createRound(
  { plan, identities, submitter }: RoundBasis,
  { round, part }: Pick<RoundTerms, 'round' | 'part'>,
  now: number,
): Round {
  const { id: batch, dataset, agent } = plan;
  const deadline = new Date(now + JOB_LIFE_MS).toISOString();
  const work = hashOf(identities);
  const terms = { batch, round, ...(part && { part }), work, submitter, deadline, dataset, agent };
  return { id: idOf(batch, round), terms };
}

/** Whether its jobs are those that would be submitted now, and workers still begin them. */
export const isCurrent = ({ terms }: Round, { identities, submitter }: RoundBasis, now: number): boolean =>
  terms.work === hashOf(identities) && terms.submitter === submitter && Date.parse(terms.deadline) > now;

const hashOf = (identities: readonly string[]): string =>
  createHash('sha256').update(identities.join('\n')).digest('hex').slice(0, 32);

const idOf = (batch: string, round: number): string =>
  round === 1 ? batch : `run_${createHash('sha256').update(`${batch} ${round}`).digest('hex').slice(0, 16)}`;

export type SubmittedRound = Round & { readonly summary: RunSummary };

/** The rounds of a batch that the fleet has, in order. */
export async function listRounds(
  engine: Pick<Engine, 'progress'>,
  { id: batch }: Pick<BatchPlan, 'id'>,
): Promise<SubmittedRound[]> {
  const rounds: SubmittedRound[] = [];
  for (;;) {
    const id = idOf(batch, rounds.length + 1);
    const summary = await engine.progress(id).catch(unlessMissing);
    if (!summary) return rounds;
    rounds.push({ id, summary, terms: parseTerms(summary.plan) });
  }
}

function unlessMissing(error: unknown): undefined {
  if (!isCarrelError(error, 'FLEET_RUN_NOT_FOUND')) throw error;
}

export const formatTerms = (terms: RoundTerms): string => JSON.stringify(terms);

const parseTerms = (text: string): RoundTerms => RoundTermsSchema.parse(JSON.parse(text));
