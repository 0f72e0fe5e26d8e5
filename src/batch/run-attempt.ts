import { mkdir, writeFile } from 'node:fs/promises';
import { NO_USAGE } from '../domain/add-usage.js';
import type { Attempt, Grade, Outcome, Timings } from '../domain/attempt.js';
import { isCarrelError } from '../domain/error.js';
import { isFinal } from '../domain/outcome.js';
import { formatDuration, parseDuration } from '../domain/quantity.js';
import type { Usage } from '../domain/usage.js';
import { findFullPlace } from '../git/disk-full.js';
import { createActivityFilter } from './activity.js';
import { identifyItem } from './attempt-identity.js';
import { openAttemptLog } from './attempt-log.js';
import type { BatchWork } from './batch-work.js';
import { describeBreakdown } from './breakdown.js';
import type { AgentResult } from './eval-agent.js';
import { gradeAttempt } from './grade-attempt.js';
import { MOST_PATCH_BYTES, type TaskEnvironment } from './isolation-provider.js';
import { removeKept } from './kept-files.js';
import type { AttemptPhase } from './observer.js';
import type { AttemptJob } from './resume-plan.js';
import { setUp } from './set-up.js';
import { createStopwatch, type Stopwatch } from './stopwatch.js';

/** What is known of an attempt when it has ended; the rest of its record comes with the job. */
export interface AttemptEnding {
  readonly outcome: Outcome;
  readonly score: number;
  readonly grades: readonly Grade[];
  readonly message: string | null;
  readonly findings: readonly string[];
  readonly usage: Usage;
  readonly exitCode: number | null;
  readonly setupExitCode: number | null;
  readonly awaitsGrading: boolean;
  readonly hasPatch: boolean;
  readonly keptAt: string | null;
}

/** For an agent whose task and batch name no limit. */
const AGENT_LIMIT_MS = 30 * 60_000;

/**
 * One try of one task, from its workspace to its record. Whatever goes wrong is an outcome; nothing of it runs when this
 * returns.
 */
export async function runAttempt(
  work: BatchWork,
  job: AttemptJob,
  onPhase: (phase: AttemptPhase, activity?: string) => void,
): Promise<Attempt> {
  const startedAt = work.context.now();
  const watch = createStopwatch();
  const course: Course = { watch, onPhase, known: { usage: NO_USAGE } };
  const ending = await tryOnce(work, job, course).catch(error => brokenDown(work, course, error));
  return describeAttempt(work, job, { startedAt, watch, ending, runtime: course.known.runtime });
}

/** The record of one that can't even begin. */
export function refuseAttempt(work: BatchWork, job: AttemptJob, message: string): Attempt {
  const ending = ended('infrastructure', { message });
  return describeAttempt(work, job, { startedAt: work.context.now(), watch: createStopwatch(), ending });
}

interface AttemptFacts {
  readonly startedAt: number;
  readonly watch: Stopwatch;
  readonly ending: AttemptEnding;
  readonly runtime?: string | undefined;
}

function describeAttempt(
  work: BatchWork,
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

interface Course {
  readonly watch: Stopwatch;
  readonly onPhase: (phase: AttemptPhase, activity?: string) => void;
  /** What stays true when a later part fails: what the agent used, what it ran in, and that its patch is on disk. */
  readonly known: { usage: Usage; runtime?: string; worked?: AttemptEnding };
}

async function tryOnce(work: BatchWork, job: AttemptJob, course: Course): Promise<AttemptEnding> {
  const worked = await workOnce(work, job, course);
  if (worked.patch === undefined) return worked.ending;
  const { ending, patch } = worked;
  const grading = await during(course, 'grade', 'gradeMs', () => gradeAttempt(work, job, patch));
  const isKept = ending.keptAt !== null && grading.outcome !== 'passed';
  if (ending.keptAt !== null && !isKept) await removeKept(work.context, ending.keptAt);
  const findings = [...ending.findings, ...grading.findings];
  const awaitsGrading = !isFinal(grading.outcome);
  return { ...ending, ...grading, awaitsGrading, keptAt: isKept ? ending.keptAt : null, findings };
}

interface Worked {
  readonly ending: AttemptEnding;
  /** What is to be graded; undefined when the attempt is over. */
  readonly patch: Buffer | undefined;
}

/** The agent's part. Its workspace is given back before anything is graded, so that no more are in use than asked for. */
async function workOnce(work: BatchWork, job: AttemptJob, course: Course): Promise<Worked> {
  const environment = await during(course, 'acquire', 'acquireMs', () =>
    work.provider.acquire(job.item, { signal: work.stop }),
  );
  course.known.runtime = environment.runtime ?? 'host';
  let worked: Worked | undefined;
  try {
    worked = await workIn(work, job, course, environment);
  } finally {
    const keep = work.plan.keepFailed && worked !== undefined && worked.ending.outcome !== 'cancelled';
    const { path } = await during(course, 'release', 'releaseMs', () =>
      work.provider.release(environment, { keep }),
    );
    if (worked) worked = { ...worked, ending: { ...worked.ending, keptAt: path } };
  }
  return worked;
}

async function workIn(
  work: BatchWork,
  job: AttemptJob,
  course: Course,
  environment: TaskEnvironment,
): Promise<Worked> {
  const problem = await during(course, 'setup', 'setupMs', () => setUp(environment, job.item, work.stop));
  if (work.stop.aborted) return { ending: ended('cancelled'), patch: undefined };
  if (problem !== undefined) {
    const { message, exitCode: setupExitCode } = problem;
    return { ending: ended('infrastructure', { message, setupExitCode }), patch: undefined };
  }
  const agent = await during(course, 'agent', 'agentMs', () => runAgent(work, job, course, environment));
  const full = agent.ending === 'failed' ? await findFullPlace([environment.workingDirectory]) : undefined;
  if (full !== undefined) return { ending: withoutRoom(agent, full), patch: undefined };
  const { patch, skipped, isTooLarge } = await during(course, 'collect', 'collectMs', () =>
    collect(work, job, environment),
  );
  const findings = [...agent.findings, ...skipped.map(describeSkipped)];
  const known = { ...describeAgent(agent), findings, hasPatch: !isTooLarge };
  const outcome = outcomeOf(work, agent);
  if (outcome === undefined && isTooLarge)
    return { ending: ended('limit', { ...known, message: TOO_LARGE }), patch: undefined };
  if (outcome === undefined) {
    course.known.worked = ended('failed', known);
    return { ending: course.known.worked, patch };
  }
  const isBatchesLimit = outcome === 'limit' && agent.ending === 'cancelled';
  const message = isBatchesLimit ? 'the cost limit of the batch is reached' : agent.message;
  return { ending: ended(outcome, { ...known, message }), patch: undefined };
}

async function collect({ place }: BatchWork, { item, attempt }: AttemptJob, environment: TaskEnvironment) {
  await environment.endAll();
  const collected = await environment.collectPatch();
  if (collected.isTooLarge) return collected;
  const { patchFile, directory } = place.attempt(item.id, attempt);
  await mkdir(directory, { recursive: true });
  await writeFile(patchFile, collected.patch);
  return collected;
}

const TOO_LARGE = `its changes are more than ${MOST_PATCH_BYTES / 1024 ** 2} MiB as a patch, which is not judged`;

const describeSkipped = (path: string): string =>
  `${path} is a repository of its own, or can't be part of a patch; it was left out`;

/** Of an agent that failed while there was no room to work in nobody knows whether it would have failed with some. */
const withoutRoom = (agent: AgentResult, place: string): AttemptEnding =>
  ended('infrastructure', {
    ...describeAgent(agent),
    message: `no space is left on the file system of ${place}`,
  });

const describeAgent = ({ usage, exitCode, message }: AgentResult) => ({ usage, exitCode, message });

/** Undefined when the work is to be graded. What an agent left that failed or was stopped is kept, and not graded. */
function outcomeOf({ stop, ledger }: BatchWork, { ending, problem }: AgentResult): Outcome | undefined {
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
      return (ledger.left() ?? 1) < 0 ? 'limit' : 'cancelled';
  }
}

async function runAgent(
  work: BatchWork,
  { item, attempt }: AttemptJob,
  { onPhase, known }: Course,
  environment: TaskEnvironment,
): Promise<AgentResult> {
  const { context, agent, ledger, plan } = work;
  const key = `${item.id} ${attempt}`;
  const log = openAttemptLog(work.place.attempt(item.id, attempt).logFile);
  const limitMs =
    item.timeout === undefined ? (plan.timeoutMs ?? AGENT_LIMIT_MS) : parseDuration(item.timeout);
  const activityOf = createActivityFilter();
  const onUsage = (usage: Usage) => {
    known.usage = usage;
    ledger.report(key, usage);
  };
  try {
    const result = await agent.attempt({
      item,
      environment,
      deadline: context.now() + limitMs,
      budgetUsd: ledger.left(),
      signal: AbortSignal.any([work.stop, ledger.exceeded]),
      onLine: (stream, text) => {
        log.line(stream, text);
        const activity = activityOf(stream, text);
        if (activity !== undefined) onPhase('agent', activity);
      },
      onUsage,
    });
    known.usage = result.usage;
    if (result.ending !== 'timed-out') return result;
    return { ...result, message: `it was ended after ${formatDuration(limitMs)}` };
  } finally {
    ledger.close(key, known.usage);
    log.close();
  }
}

/** Measures a part of the attempt and tells that it has begun. */
async function during<T>(
  { watch, onPhase }: Course,
  phase: AttemptPhase,
  timing: keyof Timings,
  action: () => Promise<T>,
): Promise<T> {
  onPhase(phase);
  return watch.measure(timing, action);
}

async function brokenDown(
  { stop, place }: BatchWork,
  { known: { usage, worked } }: Course,
  thrown: unknown,
): Promise<AttemptEnding> {
  // Nothing is graded while something of the agent may still run.
  const awaitsGrading = worked !== undefined && !isCarrelError(thrown, 'PROCESSES_LEFT');
  const left = worked ? { ...worked, awaitsGrading } : { usage };
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
