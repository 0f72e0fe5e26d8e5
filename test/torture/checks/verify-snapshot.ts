import { requireNone } from '../finding.js';
import type { Machine } from '../machine/machine.js';
import { runCarrel } from '../machine/run-carrel.js';
import type { KnownSnapshot, Model } from '../model/model.js';
import { planCommand } from '../steps/plan-command.js';
import type { CommandStep } from '../steps/step.js';
import { checkAnswer } from './check-answer.js';
import { checkProcesses } from './check-surroundings.js';
import { reconcile } from './reconcile.js';

/** The name of what is only restored to be looked at. */
const CHECKED = 'checked';

/** Snapshots of what was itself only restored to be looked at say nothing new; those that were taken together are one. */
export const listVerifiable = (model: Model): KnownSnapshot[] =>
  [...model.snapshots.values()].filter(
    ({ workspaceName, isPart, set, place }) =>
      workspaceName !== CHECKED && (!isPart || (set !== null && place === 'user')),
  );

/** Restores a snapshot under another name, compares it with what it should hold, and discards it again. */
export async function verifySnapshot(
  { label }: KnownSnapshot,
  n: number,
  machine: Machine,
  model: Model,
): Promise<void> {
  const steps: readonly CommandStep[] = [
    { op: 'restore', from: label, as: CHECKED },
    { op: 'down', name: CHECKED, discards: true },
  ];
  for (const step of steps) {
    const plan = planCommand(step, n, model, machine);
    if (!plan) return;
    checkAnswer(plan, await runCarrel(machine, plan), undefined);
    await checkProcesses(machine);
    const events = reconcile(machine, model, { n: `check-${n}`, intents: [plan.intent] });
    requireNone('loss', `carrel ${plan.args.join(' ')}`, plan.intent.confirm?.(events) ?? []);
  }
}
