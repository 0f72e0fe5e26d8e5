import { randomBytes } from 'node:crypto';
import type { EvalAgent } from '../../batch/eval-agent.js';
import { identifyAttempt } from '../../batch/plan/attempt-identity.js';
import { readOwnVersion } from '../../batch/plan/describe-environment.js';
import type { BatchPlan } from '../../domain/batch/batch-run.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { canonicalJson } from '../../domain/fleet/canonical-json.js';
import type { Job, SignedJob } from '../../domain/fleet/job.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import type { Context } from '../../operations/context.js';
import type { BlobStore } from '../artifacts/blob-store.js';
import { uploadBytes, uploadFile } from '../artifacts/upload-blob.js';
import { describeAgent } from './agent/describe-agent.js';
import { packBase } from './item/pack-base.js';
import { packItem } from './item/pack-item.js';
import { signJob } from './trust/sign-job.js';
import type { SubmitterKey } from './trust/submitter-key.js';

export interface SubmitterOptions {
  readonly plan: Pick<BatchPlan, 'id' | 'isolation' | 'timeoutMs'>;
  readonly agent: EvalAgent;
  readonly store: BlobStore;
  readonly key: SubmitterKey;
  readonly labels: readonly string[];
  /** No worker begins a job later. */
  readonly deadline: Date;
  readonly signal?: AbortSignal | undefined;
}

/** Of an attempt that two machines do; `work` is what is to be graded. */
export type JobPart = Pick<Job, 'part' | 'work'>;

/** Turns the attempts of a run into jobs. What they need is in the store before a job exists. */
export interface Submitter {
  /** The hash of the agent's description. */
  readonly agent: string;
  /** A job for one attempt; `capUsd` is what its agent may spend. BASE_UNAVAILABLE. */
  submit(item: EvalItem, attempt: number, capUsd: number | null, part?: JobPart): Promise<SignedJob>;
}

/** AGENT_CANNOT_TRAVEL. */
export async function openSubmitter(context: Context, options: SubmitterOptions): Promise<Submitter> {
  const { plan, agent, store, key, signal } = options;
  const { description, content } = await describeAgent(context, agent);
  if (content) await uploadBytes(store, content, { signal });
  const agentHash = await uploadBytes(store, Buffer.from(canonicalJson(description)), { signal });
  const items = once((item: EvalItem) => uploadBytes(store, packItem(item), { signal }));
  const bases = once((base: EvalItem['base']) => uploadBase(context, base, options));
  const versions = { carrel: readOwnVersion(), agent: agent.version };
  return {
    agent: agentHash,
    submit: async (item, attempt, capUsd, { part, work } = {}) => {
      const { isolation, timeoutMs } = plan;
      const { fingerprint } = agent;
      const job: Omit<Job, 'submitter'> = {
        ...{ run: plan.id, task: item.id, attempt, isolation, timeoutMs, capUsd, versions },
        ...(part && { part }),
        ...(work && { work }),
        identity: identifyAttempt({ item, fingerprint, isolation, attempt, timeoutMs }),
        item: await items(item),
        agent: agentHash,
        base: await bases(item.base),
        deadline: options.deadline.toISOString(),
        labels: [...options.labels],
        nonce: randomBytes(16).toString('hex'),
      };
      return signJob(job, key);
    },
  };
}

const uploadBase = (
  context: Context,
  base: EvalItem['base'],
  { store, signal }: SubmitterOptions,
): Promise<Job['base']> =>
  withScratchDirectory(context.places.temporaryRoot, async scratch => {
    const { commit, file } = await packBase(context, { base }, scratch, signal);
    return { commit, bundle: await uploadFile(store, file, { signal }) };
  });

/** Each value once, also while it is under way; a failure may succeed the next time. */
function once<In, Out>(action: (value: In) => Promise<Out>): (value: In) => Promise<Out> {
  const known = new Map<string, Promise<Out>>();
  return value => {
    const name = canonicalJson(value);
    const present = known.get(name);
    if (present) return present;
    const doing = action(value);
    known.set(name, doing);
    doing.catch(() => known.delete(name));
    return doing;
  };
}
