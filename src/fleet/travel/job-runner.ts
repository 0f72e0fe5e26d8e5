import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Budget, createBudget } from '../../attempt/limits/budget.js';
import type { BatchWork } from '../../batch/attempt/batch-work.js';
import type { AttemptPhase } from '../../batch/batch-observer.js';
import { createBatchProvider } from '../../batch/create-provider.js';
import type { EvalAgent } from '../../batch/eval-agent.js';
import type { IsolationProvider } from '../../batch/isolation-provider.js';
import { identifyAttempt } from '../../batch/plan/attempt-identity.js';
import { describeMachine } from '../../batch/plan/describe-environment.js';
import { runPlace } from '../../batch/record/run-place.js';
import { withoutSecrets } from '../../batch/record/run-store.js';
import { runWithRetries } from '../../batch/run/run-with-retries.js';
import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { carrelError } from '../../domain/error/error.js';
import type { Job } from '../../domain/fleet/job.js';
import { registerServerToken } from '../../operations/command/register-secrets.js';
import type { Context } from '../../operations/context.js';
import type { BlobStore } from '../artifacts/blob-store.js';
import { fenceAgent, type ProviderLimits } from './fence-agent.js';
import { type JobParts, openJobParts } from './job-parts.js';
import { unpackWork } from './result/pack-work.js';
import { admitAgentVersion } from './trust/admit-job.js';
import { type ClaimName, nameOfClaim } from './trust/worker-terms.js';

export interface RunControl {
  /** Throws when the claim is lost; called before an agent starts and before its work is written. */
  readonly requireOurs: () => void;
  /** Stops the agent and the graders at once. */
  readonly stop: AbortSignal;
  readonly onPhase?: ((phase: AttemptPhase, activity?: string) => void) | undefined;
  /** What the agent has spent so far, in US dollars. */
  readonly onCost?: ((costUsd: number) => void) | undefined;
}

export interface RanJob {
  readonly attempt: Attempt;
  /** With its patch and logs. It stays until `discard`. */
  readonly directory: string;
}

/** Runs admitted jobs on this host, several at once. */
export interface JobRunner {
  /**
   * One attempt in the directory of its claim, with the code of a local batch: same environments, retries, grading and
   * record. Every failure of the attempt is an outcome. Throws when the job itself cannot be run here: JOB_INVALID,
   * JOB_KEYS_MISSING, JOB_PROGRAMS_MISSING, JOB_VERSION_REFUSED, and what the store throws.
   */
  run(job: Job, claim: ClaimName, control: RunControl): Promise<RanJob>;
  /** Removes the directory of a claim, once its result is recorded or refused. */
  discard(claim: ClaimName): Promise<void>;
  /** When all jobs have ended. Idempotent. */
  close(): Promise<void>;
}

export interface RunnerOptions {
  readonly store: BlobStore;
  /** How many jobs run at once. */
  readonly slots: number;
  readonly limits?: ProviderLimits | undefined;
}

export async function openJobRunner(
  context: Context,
  { store, slots, limits }: RunnerOptions,
): Promise<JobRunner> {
  registerServerToken(context.redactor, context.places.stateDir);
  // The redactor learns what the user's file passes to agents.
  await context.loadConfig(null);
  const parts = openJobParts(context, store);
  const providers = new Map<string, Promise<IsolationProvider>>();
  const findProvider = ({ isolation }: Job, hosts: readonly string[]): Promise<IsolationProvider> => {
    const name = JSON.stringify([isolation, hosts]);
    const present = providers.get(name);
    if (present) return present;
    const { sealBase } = parts;
    const opening = openProvider(
      createBatchProvider(context, { isolation, hosts, sealBase, parallelism: slots }),
    );
    providers.set(name, opening);
    opening.catch(() => providers.delete(name));
    return opening;
  };
  return {
    run: async (job, claim, { requireOurs, stop, onPhase = () => undefined, onCost }) => {
      const { agent, item } = await bring(parts, job, stop);
      requireIdentity(job, item, agent);
      const directory = directoryOf(context, claim);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const budget = reporting(createBudget({ costUsd: job.capUsd ?? undefined }, NO_USAGE), onCost);
      const { isolation, timeoutMs, capUsd, identity } = job;
      const work: BatchWork = {
        ...{ context, budget, stop, requireOurs },
        plan: { isolation, timeoutMs, costLimitUsd: capUsd, keepFailed: false },
        place: runPlace(directory),
        provider: await findProvider(job, agent.needs.hosts),
        agent: fenceAgent(agent, { requireOurs, limits }),
        isGradedElsewhere: job.part === 'work',
        environment: await describeMachine(context, agent),
      };
      const slot = { phase: onPhase, end: () => undefined };
      const place = work.place.attempt(item.id, job.attempt);
      const isGrading = job.part === 'grade';
      const ungraded = isGrading
        ? await unpackWork((hash, name) => parts.bringFile(hash, name, stop), job, place)
        : undefined;
      const hasBudget = () => !isGrading && (budget.leftUsd() ?? 1) > 0;
      const mayContinue = (isPaid: boolean) => !stop.aborted && (isPaid || hasBudget());
      const target = { item, attempt: job.attempt, identity, ungraded };
      const attempt = await runWithRetries(work, target, slot, mayContinue);
      return { attempt: withoutSecrets(context, attempt), directory: place.directory };
    },
    discard: async claim => rm(directoryOf(context, claim), { recursive: true, force: true }),
    close: async () => {
      for (const opening of providers.values()) await (await opening).destroyAll();
      providers.clear();
    },
  };
}

type BroughtJob = { readonly item: EvalItem; readonly agent: EvalAgent };

/** A host that only grades opens no agent, and needs none of its keys and programs. */
async function bring(parts: JobParts, job: Job, stop: AbortSignal): Promise<BroughtJob> {
  if (job.part === 'grade') {
    const { item, fingerprint } = await parts.bringItem(job, stop);
    return { item, agent: { ...NO_AGENT, fingerprint } };
  }
  const brought = await parts.bring(job, stop);
  admitAgentVersion(job, brought.agent);
  return brought;
}

const NO_AGENT: Omit<EvalAgent, 'fingerprint'> = {
  name: 'none',
  version: null,
  needs: { hosts: [], variables: [] },
  attempt: () => Promise.reject(carrelError('INTERNAL', { problem: 'grading calls no agent' })),
};

/** Results that are not recorded yet must survive the worker, so they are state, not cache. */
const directoryOf = ({ places }: Pick<Context, 'places'>, claim: ClaimName): string =>
  join(places.stateDir, 'fleet', 'attempts', nameOfClaim(claim));

/** Bases come with the jobs, one by one. */
async function openProvider(provider: IsolationProvider): Promise<IsolationProvider> {
  await provider.init([]);
  return provider;
}

/** The submitter computed it from the same item and agent: a resumed run recognises the result. */
function requireIdentity(job: Job, item: EvalItem, { fingerprint }: EvalAgent): void {
  const { isolation, attempt, timeoutMs } = job;
  const found = identifyAttempt({ item, fingerprint, isolation, attempt, timeoutMs });
  if (found === job.identity) return;
  const problem = `its item and agent have the identity ${found}; the job says ${job.identity}`;
  throw carrelError('JOB_INVALID', { problem });
}

const reporting = (budget: Budget, onCost: (costUsd: number) => void = () => undefined): Budget => ({
  ...budget,
  report: (attempt, usage) => {
    budget.report(attempt, usage);
    onCost(budget.total().costUsd ?? 0);
  },
});
