import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, checkAnswer } from '../checks/check-answer.js';
import { checkLanding } from '../checks/check-landing.js';
import { checkProcesses, checkUser } from '../checks/check-surroundings.js';
import { reconcile } from '../checks/reconcile.js';
import { Finding, requireNone } from '../finding.js';
import type { Machine } from '../machine/machine.js';
import { type Ended, runCarrel } from '../machine/run-carrel.js';
import { listByName, type Model } from '../model/model.js';
import { hasUncommittedWork } from '../model/observation.js';
import { type Plan, planCommand } from '../steps/plan-command.js';
import type { CommandStep, Fault } from '../steps/step.js';

export interface Taken {
  readonly durationMs: number;
  /** Whether the fault really came in time. */
  readonly wasFaulty: boolean;
}

/** Runs a command, with its fault, and checks all that it may have touched. Undefined when it means nothing now. */
export async function takeCommandStep(
  step: CommandStep,
  n: number,
  machine: Machine,
  model: Model,
): Promise<Taken | undefined> {
  const plan = planCommand(step, n, model, machine);
  if (!plan) return undefined;
  const { fault } = step;
  if (fault?.kind === 'clock') model.hasWrongTimes = true;
  const other = fault?.kind === 'beside' ? planCommand(fault.other, n + OTHERS, model, machine) : undefined;
  const mayRefuse = (step.op === 'down' || step.op === 'reset') && !step.discards;
  const removed = mayRefuse ? listByName(model, step.name) : [];
  const mustRefuse = removed.some(one => !one.isMissing && hasUncommittedWork(one.observation));
  const { ended, answers } = await run(machine, plan, other, fault);
  const isAlone = other === undefined && !ended.wasSignalled;
  if (!isAlone || fault?.kind === 'full-disk') await recover(machine);
  await checkProcesses(machine);
  const plans = other ? [plan, other] : [plan];
  const events = reconcile(machine, model, { n, intents: plans.map(({ intent }) => intent) });
  const into = plans.map(({ intent }) => intent.lands).find(branch => branch !== undefined);
  if (into === undefined) checkUser(machine, model);
  else checkLanding(machine, model, into);
  if (isAlone) checkEffect(plan, answers[0] as Answer, events, mustRefuse);
  return { durationMs: ended.durationMs, wasFaulty: isFaulty(fault, ended) };
}

/** So that what two commands of one step write has two names. */
const OTHERS = 10_000;

async function run(
  machine: Machine,
  plan: Plan,
  other: Plan | undefined,
  fault: Fault | undefined,
): Promise<{ ended: Ended; answers: Answer[] }> {
  if (fault?.kind !== 'beside' || !other) {
    const ended = await runCarrel(machine, plan, fault?.kind === 'beside' ? undefined : fault);
    return { ended, answers: [checkAnswer(plan, ended, fault)] };
  }
  const [ended, otherEnded] = await Promise.all([
    runCarrel(machine, plan),
    delay(fault.delayMs).then(() => runCarrel(machine, other)),
  ]);
  return {
    ended,
    answers: [checkAnswer(plan, ended, fault, other), checkAnswer(other, otherEnded, fault, plan)],
  };
}

/** Whatever was left half done is settled by the next command. */
export async function recover(machine: Machine): Promise<void> {
  const plan = {
    args: ['ls', '--json'],
    cwd: machine.repository,
    intent: { what: 'ls', mustSucceed: true },
  };
  checkAnswer(plan, await runCarrel(machine, plan), undefined);
}

function checkEffect(
  { args, intent }: Plan,
  answer: Answer,
  events: ReturnType<typeof reconcile>,
  mustRefuse: boolean,
): void {
  const { appeared, vanished, taken } = events;
  if (answer === 'refused' && appeared.length + vanished.length + taken.length > 0)
    throw new Finding('refusal', `carrel ${args.join(' ')} was refused, and changed something all the same`);
  if (answer !== 'done') return;
  requireNone('answer', `carrel ${args.join(' ')} said that it was done`, intent.confirm?.(events) ?? []);
  if (mustRefuse)
    throw new Finding(
      'refusal',
      `carrel ${args.join(' ')} removed uncommitted work without being allowed to`,
    );
}

const isFaulty = (fault: Fault | undefined, { wasSignalled }: Ended): boolean =>
  fault !== undefined && (wasSignalled || ['clock', 'full-disk', 'beside', 'stop'].includes(fault.kind));
