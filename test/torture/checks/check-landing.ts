import { requireNone } from '../finding.js';
import type { Machine } from '../machine/machine.js';
import type { Model, Place } from '../model/model.js';
import { checkCheckout, PLACES, readUser } from './check-surroundings.js';

/**
 * After a landing the user's checkout is as it was, or has moved with its branch and is as clean as it was. What is taken
 * over into the model is nothing but that.
 */
export function checkLanding(machine: Machine, model: Model, into: string): void {
  for (const place of PLACES) checkPlace(machine, model, into, place);
}

function checkPlace(machine: Machine, model: Model, into: string, place: Place): void {
  const found = readUser(machine, place);
  const known = model[place];
  // jj keeps bookmarks where only jj looks; that nothing of the workspace is lost is checked elsewhere.
  if (machine.shape.vcs === 'jj' && place === 'user') {
    model.user = found;
    return;
  }
  const linesOf = (user: typeof found, key: string) => String(user[key] ?? '').split('\n');
  const target = ` refs/heads/${into}`;
  const isTarget = (line: string) => line.endsWith(target);
  const tip = (user: typeof found) => linesOf(user, 'refs').find(isTarget);
  if (tip(found) === tip(known)) {
    checkCheckout(machine, model, place);
    return;
  }
  const isCheckedOut = String(found.head).trim() === `ref: refs/heads/${into}`;
  const kept = [
    'head',
    'config',
    'hooks',
    'stash',
    ...(isCheckedOut ? [] : ['index', 'status', 'files', 'headLog']),
  ];
  const others = (user: typeof found) => linesOf(user, 'refs').filter(line => !isTarget(line));
  const changes = (user: typeof found) => linesOf(user, 'status').filter(line => !line.startsWith('#'));
  requireNone('user', `landing on ${into} touched more than that branch and a clean checkout of it`, [
    ...kept.filter(key => found[key] !== known[key]),
    ...compare('refs', others(known), others(found)),
    ...compare('status', changes(known), changes(found)),
  ]);
  model[place] = found;
}

const compare = (what: string, before: readonly string[], after: readonly string[]): string[] =>
  before.join('\n') === after.join('\n')
    ? []
    : [`${what} was ${before.join('; ')} and is ${after.join('; ')}`];
