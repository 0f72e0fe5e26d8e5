import { readFile } from 'node:fs/promises';
import type { SealBase } from '../../batch/base/provider-bases.js';
import type { EvalAgent } from '../../batch/eval-agent.js';
import type { EvalBase, EvalItem } from '../../domain/batch/eval-item.js';
import { carrelError } from '../../domain/error/error.js';
import { type AgentDescription, AgentDescriptionSchema } from '../../domain/fleet/agent-description.js';
import { canonicalJson } from '../../domain/fleet/canonical-json.js';
import type { Job } from '../../domain/fleet/job.js';
import type { Context } from '../../operations/context.js';
import type { BlobStore } from '../artifacts/blob-store.js';
import { openDescribedAgent } from './agent/open-described-agent.js';
import { openHostCache } from './host-cache.js';
import { unpackBase } from './item/pack-base.js';
import { MOST_ITEM_BYTES, unpackItem } from './item/pack-item.js';
import { admitAgent } from './trust/admit-job.js';

/** What jobs consist of, on this host: each part is brought once and shared. */
export interface JobParts {
  /** The item and the agent of a job. Its base is brought when an environment needs it. */
  bring(job: Job, signal: AbortSignal): Promise<{ readonly item: EvalItem; readonly agent: EvalAgent }>;
  /** The item of a job that is only graded, and the fingerprint of the agent whose work it is: no agent is opened. */
  bringItem(
    job: Job,
    signal: AbortSignal,
  ): Promise<{ readonly item: EvalItem; readonly fingerprint: string }>;
  /** A blob that a job names, as a file. */
  bringFile(hash: string, name: string, signal: AbortSignal): Promise<string>;
  /** For the provider: the base that a job has named for a task. */
  readonly sealBase: SealBase;
}

const MOST_DESCRIPTION_BYTES = 16 * 1024 ** 2;

export function openJobParts(context: Context, store: BlobStore): JobParts {
  const cache = openHostCache(context, store);
  const agents = new Map<string, Promise<EvalAgent>>();
  const bases = new Map<string, Job['base']>();
  const findAgent = (job: Job, description: AgentDescription): Promise<EvalAgent> => {
    const isInImage = job.isolation === 'docker';
    const name = `${job.agent} ${isInImage}`;
    const present = agents.get(name);
    if (present) return present;
    const placeFile: Parameters<typeof openDescribedAgent>[2]['placeFile'] = file =>
      cache.file(file.hash, file.name);
    const opening = openDescribedAgent(context, description, { placeFile, isInImage });
    agents.set(name, opening);
    opening.catch(() => agents.delete(name));
    return opening;
  };
  const limitsOf = ({ deadline }: Job, signal: AbortSignal, limitBytes: number) => ({
    ...{ signal, deadline: Date.parse(deadline), limitBytes },
  });
  const describe = async (job: Job, signal: AbortSignal): Promise<AgentDescription> => {
    const limits = limitsOf(job, signal, MOST_DESCRIPTION_BYTES);
    return readDescription(await cache.file(job.agent, 'agent.json', limits));
  };
  const bringItem = async (job: Job, signal: AbortSignal): Promise<EvalItem> => {
    const limits = limitsOf(job, signal, MOST_ITEM_BYTES);
    const item = await unpackItem(await cache.file(job.item, 'item.json', limits));
    if (item.id !== job.task) throw invalid(`its item is the task ${item.id}, not ${job.task}`);
    remember(bases, item.base, job.base);
    return item;
  };
  return {
    bring: async (job, signal) => {
      const description = await describe(job, signal);
      admitAgent(context, job, description);
      const item = await bringItem(job, signal);
      return { item, agent: await findAgent(job, description) };
    },
    bringItem: async (job, signal) => {
      const { fingerprint } = await describe(job, signal);
      return { item: await bringItem(job, signal), fingerprint };
    },
    bringFile: (hash, name, signal) => cache.file(hash, name, { signal }),
    sealBase: async (base, signal) => {
      const named = bases.get(canonicalJson(base));
      if (!named) throw carrelError('INTERNAL', { problem: 'no job has named this base' });
      return unpackBase(context, named, () => cache.file(named.bundle, 'base.bundle', { signal }), signal);
    },
  };
}

const invalid = (problem: string) => carrelError('JOB_INVALID', { problem });

/** The provider keeps one base for each description: another commit for the same one would be the wrong files. */
function remember(bases: Map<string, Job['base']>, base: EvalBase, named: Job['base']): void {
  const name = canonicalJson(base);
  const before = bases.get(name);
  if (before && before.commit !== named.commit)
    throw invalid(`its base has the commit ${named.commit}; another job says ${before.commit}`);
  bases.set(name, named);
}

async function readDescription(file: string): Promise<AgentDescription> {
  try {
    return AgentDescriptionSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw carrelError('JOB_INVALID', { problem: 'its agent has no valid description' }, error);
  }
}
