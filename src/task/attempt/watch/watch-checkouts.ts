import type { Handoff } from '../../../attempt/handoff/handoff.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { Context } from '../../../operations/context.js';
import { listParts } from '../../../operations/group/group-records.js';
import { type CheckoutComparison, type CheckoutWatch, watchCheckout } from './watch-checkout.js';

/** Watches the user's checkout in every repository of the workspace. */
export async function watchCheckouts(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'now' | 'environment'>,
  record: WorkspaceRecord,
  handoff: Handoff,
): Promise<CheckoutWatch | undefined> {
  const watches: CheckoutWatch[] = [];
  for (const part of await listParts(context, record)) {
    const watch = await watchCheckout(context, part, handoff);
    if (watch) watches.push(watch);
  }
  const [first, ...others] = watches;
  return others.length === 0 ? first : joinWatches(watches);
}

const joinWatches = (watches: readonly CheckoutWatch[]): CheckoutWatch => ({
  // The same file for all: each event in it names the work tree.
  environment: watches[0]?.environment ?? {},
  readOutput: text => {
    for (const { readOutput } of watches) readOutput(text);
  },
  compare: async () => {
    const found: CheckoutComparison[] = [];
    for (const { compare } of watches) found.push(await compare());
    const textOf = (key: 'warning' | 'note') =>
      found.flatMap(each => each[key] ?? []).join('; ') || undefined;
    return {
      failure: found.find(({ failure }) => failure)?.failure,
      warning: textOf('warning'),
      note: textOf('note'),
    };
  },
});
