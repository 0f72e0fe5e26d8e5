import { createSeededRandom } from '../../helpers/seeded-random.js';
import { checkAnswer } from '../checks/check-answer.js';
import { checkLists } from '../checks/check-lists.js';
import { checkProcesses, checkSurroundings, checkUser, readUser } from '../checks/check-surroundings.js';
import { reconcile } from '../checks/reconcile.js';
import { listVerifiable, verifySnapshot } from '../checks/verify-snapshot.js';
import { Finding } from '../finding.js';
import { type Machine, type MachineShape, makeMachine } from '../machine/machine.js';
import type { Parts } from '../machine/parts.js';
import { runCarrel } from '../machine/run-carrel.js';
import { createModel, type Model } from '../model/model.js';
import { chooseStep } from '../steps/choose-step.js';
import { isCommand, type NumberedStep, type Step, type WorldStep } from '../steps/step.js';
import { keepOldRecords, takeWorldStep } from '../steps/take-world-step.js';
import { forgetOldRecords } from './forget-old-records.js';
import { recover, takeCommandStep } from './take-command-step.js';
import type { Tally } from './tally.js';

export interface EpisodeOptions {
  readonly shape: MachineShape;
  /** Given, or made up one after the other. */
  readonly steps: readonly NumberedStep[] | { readonly seed: number; readonly count: number };
  readonly parts: Parts;
  readonly tally: Tally;
  /** When to stop making up steps, as of `performance.now()`. */
  readonly deadline?: number;
  /** For the tester's own tests: what happens behind everybody's back after each step. */
  readonly afterStep?: (machine: Machine, model: Model, n: number) => void;
}

export interface EpisodeEnd {
  readonly steps: readonly NumberedStep[];
  readonly finding: Finding | undefined;
}

const EVERYTHING_EACH = 4;
const SNAPSHOT_EACH = 9;

/** One machine from nothing to its end. Every step that is taken is in the answer, so that it can be taken again. */
export async function runEpisode(options: EpisodeOptions): Promise<EpisodeEnd> {
  const machine = makeMachine(options.shape);
  const taken: NumberedStep[] = [];
  try {
    await live(machine, options, taken);
    return { steps: taken, finding: undefined };
  } catch (error) {
    return { steps: taken, finding: error instanceof Finding ? error : toFinding(error) };
  } finally {
    machine.dispose();
  }
}

/** What breaks the tester is worth a look, too. */
const toFinding = (error: unknown): Finding =>
  new Finding('repository', error instanceof Error ? (error.stack ?? error.message) : String(error));

async function live(machine: Machine, options: EpisodeOptions, taken: NumberedStep[]): Promise<void> {
  const { tally, afterStep } = options;
  const model = createModel();
  model.user = readUser(machine);
  model.beside = readUser(machine, 'beside');
  for await (const step of makeSteps(options, model, tally)) {
    taken.push(step);
    await takeStep(step, machine, model, tally);
    afterStep?.(machine, model, step.n);
    if (step.n % 6 === 5) keepOldRecords(machine);
    if (taken.length % EVERYTHING_EACH === 0) checkSurroundings(machine, model);
    if (taken.length % SNAPSHOT_EACH === 0) await verifyOne(step.n, machine, model, tally);
  }
  const last = (taken.at(-1)?.n ?? 0) + 1;
  for (const snapshot of listVerifiable(model)) {
    await verifySnapshot(snapshot, last, machine, model);
    tally.checkedSnapshot();
  }
  await checkLists(machine, model);
  await drainPool(machine);
  checkSurroundings(machine, model, 'drained');
  checkUser(machine, model);
}

/** Warm workspaces have no owner, so nothing may be left of them. */
async function drainPool(machine: Machine): Promise<void> {
  const plan = {
    args: ['pool', 'drain', '--json'],
    cwd: machine.repository,
    intent: { what: 'pool drain', mustSucceed: true },
  };
  checkAnswer(plan, await runCarrel(machine, plan), undefined);
  await checkProcesses(machine);
}

async function* makeSteps(
  { steps, shape, parts, deadline = Number.POSITIVE_INFINITY }: EpisodeOptions,
  model: Model,
  { durations }: Tally,
): AsyncGenerator<NumberedStep> {
  if (!('seed' in steps)) return yield* steps;
  const random = createSeededRandom(steps.seed);
  for (let n = 1; n <= steps.count && performance.now() < deadline; n++)
    yield { ...chooseStep({ random, model, shape, parts, durations }), n };
}

async function takeStep(step: NumberedStep, machine: Machine, model: Model, tally: Tally): Promise<void> {
  if (!isCommand(step)) return takeWorld(step, machine, model, tally);
  const done = await takeCommandStep(step, step.n, machine, model);
  if (!done) return tally.skipped();
  const what = step.op === 'up' && step.isGroup ? 'up with two repositories' : step.op;
  tally.took(what, done.durationMs, done.wasFaulty ? undefined : 'measure');
  if (step.fault) tally.suffered(step.fault.kind, done.wasFaulty);
}

async function takeWorld(
  step: WorldStep & Step,
  machine: Machine,
  model: Model,
  tally: Tally,
): Promise<void> {
  if (!takeWorldStep(step, machine, model)) return tally.skipped();
  tally.did(step.op);
  if (step.op === 'edit' || step.op === 'user-edit' || step.op === 'user-commit') return;
  if (step.op === 'lose-records') await forgetOldRecords(machine, model, step.how);
  else await recover(machine);
  await checkProcesses(machine);
  reconcile(machine, model, { n: (step as NumberedStep).n, intents: [] });
  checkUser(machine, model);
}

async function verifyOne(n: number, machine: Machine, model: Model, tally: Tally): Promise<void> {
  const known = listVerifiable(model);
  const snapshot = known[n % Math.max(1, known.length)];
  if (!snapshot) return;
  await verifySnapshot(snapshot, n, machine, model);
  tally.checkedSnapshot();
}
