import { mkdir, writeFile } from 'node:fs/promises';
import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { Attempt, Grade, Outcome, Timings } from '../../domain/batch/attempt.js';
import { isFinal } from '../../domain/batch/outcome-rules.js';
import { isCarrelError } from '../../domain/error/error.js';
import { parseDuration } from '../../domain/quantity/quantity.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import { findFullPlace } from '../../git/disk/disk-full.js';
import type { AttemptPhase } from '../batch-observer.js';
import { setUp } from '../environment/run-item-setup.js';
import type { AgentResult } from '../eval-agent.js';
import { MOST_PATCH_BYTES, type TaskEnvironment } from '../isolation-provider.js';
import { identifyItem } from '../plan/attempt-identity.js';
import type { AttemptJob } from '../plan/resume-plan.js';
import { removeKept } from '../record/kept-attempt-files.js';
import { createActivityFilter } from './activity-filter.js';
import { openAttemptLog } from './attempt-log.js';
import type { BatchWork } from './batch-work.js';
import { describeBreakdown } from './describe-breakdown.js';
import { gradeAttempt } from './grade-attempt.js';
import { createStopwatch, type Stopwatch } from './stopwatch.js';

/** What is known of a finished attempt; the rest of its record comes from the job. */
export interface AttemptEnding {
  readonly outcome: Outcome;
  readonly score: number;
  readonly grades: readonly Grade[];
  readonly message: string | null;
  readonly agentMessage?: string | null | undefined;
  readonly findings: readonly string[];
  readonly usage: Usage;
  readonly exitCode: number | null;
  readonly setupExitCode: number | null;
  readonly awaitsGrading: boolean;
  readonly hasPatch: boolean;
  readonly keptAt: string | null;
}

/** Default when neither the task nor the batch has a limit. */
const AGENT_LIMIT_MS = 30 * 60_000;

/**
 * One attempt at one task, from creating its workspace to its record. Every failure maps to an outcome; nothing is left
 * running when this returns.
 */
export async function runAttempt(
  work: BatchWork,
  job: AttemptJob,
  onPhase: (phase: AttemptPhase, activity?: string) => void,
): Promise<Attempt> {
  const startedAt = work.context.now();
  const watch = createStopwatch();
  const progress: AttemptProgress = { watch, onPhase, known: { usage: NO_USAGE } };
  const ending = await tryOnce(work, job, progress).catch(error => brokenDown(work, progress, error));
  return describeAttempt(work, job, { startedAt, watch, ending, runtime: progress.known.runtime });
}

/** The record of an attempt that could not start. */
export function refuseAttempt(work: RefusedWork, job: AttemptJob, message: string): Attempt {
  const ending = ended('infrastructure', { message });
  return describeAttempt(work, job, { startedAt: work.context.now(), watch: createStopwatch(), ending });
}

/** What the record of an attempt has from its batch. */
type DescribedWork = Pick<BatchWork, 'place' | 'environment'> & {
  readonly plan: Pick<BatchWork['plan'], 'isolation'>;
};

export type RefusedWork = DescribedWork & { readonly context: Pick<BatchWork['context'], 'now'> };

interface AttemptFacts {
  readonly startedAt: number;
  readonly watch: Stopwatch;
  readonly ending: AttemptEnding;
  readonly runtime?: string | undefined;
}

function describeAttempt(
  work: DescribedWork,
  job: AttemptJob,
  { startedAt, watch, ending, runtime }: AttemptFacts,
): Attempt {
  const { relative } = work.place.attempt(job.item.id, job.attempt);
  const { outcome, score, usage, message, exitCode, setupExitCode, awaitsGrading, findings } = ending;
  const { isolation } = work.plan;
  return {
    taskId: job.item.id,
    attempt: job.attempt,
    identity: job.identity,
    itemHash: identifyItem(job.item),
    ...{ outcome, score, usage, message, exitCode, setupExitCode, awaitsGrading },
    ...(ending.agentMessage && { agentMessage: ending.agentMessage }),
    graders: [...ending.grades],
    costUsd: usage.costUsd,
    startedAt: new Date(startedAt).toISOString(),
    durationMs: watch.total(),
    timings: watch.timings(),
    findings: [...findings],
    patchPath: ending.hasPatch ? `${relative}/patch.diff` : null,
    logPath: `${relative}/agent.log`,
    worktreePath: ending.keptAt,
    retries: 0,
    environment: { isolation, ...(runtime === undefined ? {} : { runtime }), ...work.environment },
  };
}

interface AttemptProgress {
  readonly watch: Stopwatch;
  readonly onPhase: (phase: AttemptPhase, activity?: string) => void;
  /** What stays true when a later step fails: the agent's usage, its environment, and that its patch is on disk. */
  readonly known: { usage: Usage; runtime?: string; worked?: AttemptEnding };
}

async function tryOnce(work: BatchWork, job: AttemptJob, progress: AttemptProgress): Promise<AttemptEnding> {
  const worked = await workOnce(work, job, progress);
  if (worked.patch === undefined) return worked.ending;
  const { ending, patch } = worked;
  if (work.isGradedElsewhere) return toBeGraded(ending);
  const grading = await during(progress, 'grade', 'gradeMs', () => gradeAttempt(work, job, patch));
  const isKept = ending.keptAt !== null && grading.outcome !== 'passed';
  if (ending.keptAt !== null && !isKept) await removeKept(work.context, ending.keptAt);
  const findings = [...ending.findings, ...grading.findings];
  const awaitsGrading = !isFinal(grading.outcome);
  const agentMessage = awaitsGrading ? ending.message : null;
  const keptAt = isKept ? ending.keptAt : null;
  return { ...ending, ...grading, agentMessage, awaitsGrading, keptAt, findings };
}

/** Not a result yet: the same as work whose grading was interrupted. */
const toBeGraded = (ending: AttemptEnding): AttemptEnding => ({
  ...ending,
  outcome: 'infrastructure',
  awaitsGrading: true,
  agentMessage: ending.message,
  message: 'its work waits for grading on another machine',
});

interface Worked {
  readonly ending: AttemptEnding;
  /** The work to grade; undefined when the attempt is over. */
  readonly patch: Buffer | undefined;
}

/** The agent's part. Its workspace is released before grading, so that no more are in use than requested. */
async function workOnce(work: BatchWork, job: AttemptJob, progress: AttemptProgress): Promise<Worked> {
  const environment = await during(progress, 'acquire', 'acquireMs', () =>
    work.provider.acquire(job.item, { signal: work.stop, setup: false }),
  );
  progress.known.runtime = environment.runtime ?? 'host';
  let worked: Worked | undefined;
  try {
    worked = await workIn(work, job, progress, environment);
  } finally {
    const keep = work.plan.keepFailed && worked !== undefined && worked.ending.outcome !== 'cancelled';
    const { path } = await during(progress, 'release', 'releaseMs', () =>
      work.provider.release(environment, { keep }),
    );
    if (worked) worked = { ...worked, ending: { ...worked.ending, keptAt: path } };
  }
  return worked;
}

async function workIn(
  work: BatchWork,
  job: AttemptJob,
  progress: AttemptProgress,
  environment: TaskEnvironment,
): Promise<Worked> {
  const problem = await during(progress, 'setup', 'setupMs', () => setUp(environment, job.item, work.stop));
  if (work.stop.aborted) return { ending: ended('cancelled'), patch: undefined };
  if (problem !== undefined) {
    const { message, exitCode: setupExitCode } = problem;
    return { ending: ended('infrastructure', { message, setupExitCode }), patch: undefined };
  }
  const agent = await during(progress, 'agent', 'agentMs', () => runAgent(work, job, progress, environment));
  const full = agent.ending === 'failed' ? await findFullPlace([environment.workingDirectory]) : undefined;
  if (full !== undefined) return { ending: withoutRoom(agent, full), patch: undefined };
  const { patch, skipped, isTooLarge, isRaw } = await during(progress, 'collect', 'collectMs', () =>
    collect(work, job, environment),
  );
  const findings = [...agent.findings, ...skipped.map(describeSkipped), ...(isRaw ? [RAW] : [])];
  const known = { ...describeAgent(agent), findings, hasPatch: !isTooLarge };
  const outcome = outcomeOf(work, agent);
  if (outcome === undefined && isTooLarge)
    return { ending: ended('limit', { ...known, message: TOO_LARGE }), patch: undefined };
  if (outcome === undefined) {
    progress.known.worked = ended('failed', known);
    return { ending: progress.known.worked, patch };
  }
  const isBatchesLimit = outcome === 'limit' && agent.ending === 'cancelled';
  const message = isBatchesLimit ? 'the batch has reached its cost limit' : agent.message;
  return { ending: ended(outcome, { ...known, message }), patch: undefined };
}

async function collect(
  { place, requireOurs }: BatchWork,
  { item, attempt }: AttemptJob,
  environment: TaskEnvironment,
) {
  await environment.endAll();
  const collected = await environment.collectPatch();
  if (collected.isTooLarge) return collected;
  const { patchFile, directory } = place.attempt(item.id, attempt);
  await mkdir(directory, { recursive: true });
  // Another process that took over the run may have written its own there.
  requireOurs();
  await writeFile(patchFile, collected.patch);
  return collected;
}

const TOO_LARGE = `its patch is larger than ${MOST_PATCH_BYTES / 1024 ** 2} MiB and was not graded`;

const RAW =
  'its .gitattributes requires an encoding that its files do not have; their bytes are graded unchanged';

const describeSkipped = (path: string): string =>
  `${path} is a nested repository or cannot be part of a patch; it was left out`;

/** An agent that failed on a full disk might have succeeded with free space, so the failure is not the agent's. */
const withoutRoom = (agent: AgentResult, place: string): AttemptEnding =>
  ended('infrastructure', {
    ...describeAgent(agent),
    message: `no space left on the file system of ${place}`,
  });

const describeAgent = ({ usage, exitCode, message }: AgentResult) => ({ usage, exitCode, message });

/** Undefined when the work is to be graded. The work of an agent that failed or was stopped is kept but not graded. */
function outcomeOf({ stop, budget }: BatchWork, { ending, problem }: AgentResult): Outcome | undefined {
  if (stop.aborted) return 'cancelled';
  switch (ending) {
    case 'done':
      return undefined;
    case 'failed':
      return problem?.kind === 'limit' ? 'limit' : 'agent-error';
    case 'timed-out':
      return 'agent-timeout';
    case 'infrastructure':
      return 'infrastructure';
    case 'cancelled':
      return (budget.leftUsd() ?? 1) < 0 ? 'limit' : 'cancelled';
  }
}

async function runAgent(
  work: BatchWork,
  { item, attempt }: AttemptJob,
  { onPhase, known }: AttemptProgress,
  environment: TaskEnvironment,
): Promise<AgentResult> {
  const { context, agent, budget, plan } = work;
  const key = `${item.id} ${attempt}`;
  const log = openAttemptLog(work.place.attempt(item.id, attempt).logFile, context.redactor.text);
  const limitMs =
    item.timeout === undefined ? (plan.timeoutMs ?? AGENT_LIMIT_MS) : parseDuration(item.timeout);
  const activityOf = createActivityFilter();
  const onUsage = (usage: Usage) => {
    known.usage = usage;
    budget.report(key, usage);
  };
  try {
    const result = await agent.attempt({
      item,
      environment,
      deadline: context.now() + limitMs,
      budgetUsd: budget.leftUsd(),
      signal: AbortSignal.any([work.stop, budget.signal]),
      onLine: (stream, text) => {
        log.line(stream, text);
        const activity = activityOf(stream, context.redactor.text(text));
        if (activity !== undefined) onPhase('agent', activity);
      },
      onUsage,
    });
    known.usage = result.usage;
    if (result.ending !== 'timed-out') return result;
    return { ...result, message: `it was stopped after ${formatDuration(limitMs)}` };
  } finally {
    budget.close(key, known.usage);
    log.close();
  }
}

/** Measures one phase of the attempt and reports its start. */
async function during<T>(
  { watch, onPhase }: AttemptProgress,
  phase: AttemptPhase,
  timing: keyof Timings,
  action: () => Promise<T>,
): Promise<T> {
  onPhase(phase);
  return watch.measure(timing, action);
}

async function brokenDown(
  { stop, place }: BatchWork,
  { known: { usage, worked } }: AttemptProgress,
  thrown: unknown,
): Promise<AttemptEnding> {
  // Nothing is graded while a process of the agent may still run.
  const awaitsGrading = worked !== undefined && !isCarrelError(thrown, 'PROCESSES_LEFT');
  const left = worked ? { ...worked, agentMessage: worked.message, awaitsGrading } : { usage };
  if (stop.aborted) return ended('cancelled', left);
  return ended('infrastructure', { ...left, message: await describeBreakdown(thrown, place.directory) });
}

const ended = (outcome: Outcome, known: Partial<AttemptEnding> = {}): AttemptEnding => ({
  score: 0,
  grades: [],
  message: null,
  findings: [],
  usage: NO_USAGE,
  exitCode: null,
  setupExitCode: null,
  awaitsGrading: false,
  hasPatch: false,
  keptAt: null,
  ...known,
  outcome,
});
