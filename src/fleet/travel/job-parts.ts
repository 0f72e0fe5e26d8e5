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
  return {
    bring: async (job, signal) => {
      const deadline = Date.parse(job.deadline);
      const limits = { signal, deadline, limitBytes: MOST_DESCRIPTION_BYTES };
      const description = await readDescription(await cache.file(job.agent, 'agent.json', limits));
      admitAgent(context, job, description);
      const itemFile = await cache.file(job.item, 'item.json', { ...limits, limitBytes: MOST_ITEM_BYTES });
      const item = await unpackItem(itemFile);
      if (item.id !== job.task) throw invalid(`its item is the task ${item.id}, not ${job.task}`);
      remember(bases, item.base, job.base);
      return { item, agent: await findAgent(job, description) };
    },
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
