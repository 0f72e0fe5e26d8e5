import type { AttemptPhase } from '../../batch/batch-observer.js';
import type { AttemptJob } from '../../batch/plan/resume-plan.js';
import type { Progress, SlotProgress } from '../../batch/run/batch-progress.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { Context } from '../../operations/context.js';
import type { Engine } from '../engine/engine.js';
import type { JobKey } from '../engine/job.js';
import type { ClaimProgress, RunProgress } from '../engine/run.js';

/** Shows what hosts do as the slots of a local batch, and why jobs are left. */
export interface FleetView {
  look(progress: RunProgress): void;
  end(job: AttemptJob, attempt: Attempt): void;
}

export function createFleetView(
  { narrate }: Pick<Context, 'narrate'>,
  progress: Progress,
  jobs: readonly AttemptJob[],
): FleetView {
  const known = new Map(jobs.map(job => [nameOf({ task: job.item.id, attempt: job.attempt }), job]));
  const slots = new Map<string, { readonly index: number; readonly slot: SlotProgress }>();
  const explained = new Set<string>();
  const slotOf = (name: string, job: AttemptJob): SlotProgress => {
    const present = slots.get(name);
    if (present) return present.slot;
    const index = firstFree([...slots.values()].map(each => each.index));
    const slot = progress.slot(index, job);
    slots.set(name, { index, slot });
    return slot;
  };
  return {
    look: ({ claims, left }) => {
      for (const claim of claims) {
        const job = known.get(nameOf(claim.key));
        if (job) slotOf(nameOf(claim.key), job).phase(...describe(claim));
      }
      for (const { key, reason } of left) {
        if (explained.has(reason)) continue;
        explained.add(reason);
        narrate(`a worker leaves ${key.task} ${key.attempt} to others: ${reason}`);
      }
    },
    end: (job, attempt) => {
      const name = nameOf({ task: job.item.id, attempt: job.attempt });
      slotOf(name, job).end(attempt);
      slots.delete(name);
      known.delete(name);
    },
  };
}

const nameOf = ({ task, attempt }: Pick<JobKey, 'task' | 'attempt'>): string => `${task} ${attempt}`;

function firstFree(taken: readonly number[]): number {
  let index = 0;
  while (taken.includes(index)) index++;
  return index;
}

const PHASES: readonly AttemptPhase[] = ['acquire', 'setup', 'agent', 'collect', 'grade', 'release'];

/** A worker reports `phase: activity`. */
function describe({ report, host }: ClaimProgress): [AttemptPhase, string] {
  const [word = '', ...rest] = (report?.text ?? '').split(': ');
  const phase = PHASES.find(each => each === word);
  const activity = rest.join(': ');
  return [phase ?? (word === 'upload' ? 'release' : 'acquire'), activity === '' ? `on ${host}` : activity];
}

interface Attendance {
  onLook(progress: RunProgress): void;
  /** Their claims were ended. */
  onDead(hosts: readonly string[]): void;
}

/** Between two looks at the hosts, and two calls of `reap`. */
const LOOK_MS = 1000;

/** Calls back with the progress of a run every second, and ends the claims of dead hosts. Returns how to stop. */
export function attendRun(
  engine: Pick<Engine, 'progress' | 'reap'>,
  run: string,
  { onLook, onDead }: Attendance,
): () => Promise<void> {
  let current: Promise<void> | undefined;
  const attend = async (): Promise<void> => {
    const { ended } = await engine.reap();
    if (ended.length > 0) onDead([...new Set(ended.map(({ host }) => host))]);
    onLook(await engine.progress(run));
  };
  const timer = setInterval(() => {
    // The database may be away; `watch` continues after that, too.
    current ??= attend()
      .catch(() => undefined)
      .finally(() => {
        current = undefined;
      });
  }, LOOK_MS);
  return async () => {
    clearInterval(timer);
    await current;
  };
}
