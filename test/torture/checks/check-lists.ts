import { requireNone } from '../finding.js';
import type { Machine } from '../machine/machine.js';
import { runCarrel } from '../machine/run-carrel.js';
import type { Model } from '../model/model.js';
import { checkAnswer } from './check-answer.js';

/** What Carrel lists is all that there is, and it finds no fault with its snapshots itself. */
export async function checkLists(machine: Machine, model: Model): Promise<void> {
  const workspaces = await ask<readonly { readonly id: string }[]>(machine, 'ls', '--all');
  compare('carrel ls --all', [...model.workspaces.keys()], workspaces);
  const snapshots = await ask<readonly { readonly id: string }[]>(machine, 'snapshots', '--all');
  compare('carrel snapshots --all', [...model.snapshots.keys()], snapshots);
  if (model.snapshots.size > MOST_VERIFIED) return;
  const { snapshots: verified } = await ask<DeepAnswer>(machine, 'doctor', '--deep', '--all');
  // A small temporary disk has no room to restore into: they are skipped, and the answer says so.
  const isSkippable = machine.shape.tight === 'temporary';
  const flawed = verified.filter(({ status }) => status !== 'ok' && !(isSkippable && status === 'skipped'));
  requireNone(
    'loss',
    'carrel doctor --deep finds faults in snapshots',
    flawed.map(
      ({ id, problems }) => `${id} (step ${model.snapshots.get(id)?.label}): ${JSON.stringify(problems)}`,
    ),
  );
}

/** It takes a second or two for each, and all of them have been restored and compared by now. */
const MOST_VERIFIED = 12;

interface DeepAnswer {
  readonly snapshots: readonly { readonly id: string; readonly status: string; readonly problems: unknown }[];
}

async function ask<T>(machine: Machine, ...words: string[]): Promise<T> {
  const args = [...words, '--json'];
  const plan = { args, cwd: machine.repository, intent: { what: words.join(' '), mustSucceed: true } };
  const ended = await runCarrel(machine, plan);
  checkAnswer(plan, ended, undefined);
  return JSON.parse(ended.outcome.stdout);
}

function compare(what: string, known: readonly string[], listed: readonly { readonly id: string }[]): void {
  const ids = new Set(listed.map(({ id }) => id));
  requireNone(
    'loss',
    `${what} does not list all`,
    known.filter(id => !ids.has(id)),
  );
  requireNone(
    'leftover',
    `${what} lists what nothing made`,
    [...ids].filter(id => !known.includes(id)),
  );
}
