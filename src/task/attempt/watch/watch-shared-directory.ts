import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { compareObservations, observeCheckout } from '../../../git/checkout/observe-checkout.js';
import { findCheckout } from '../../../git/repository/find-checkout.js';
import type { Context } from '../../../operations/context.js';

/** Whether something changed since then; null when unknown. */
export type HasChanged = () => Promise<boolean | null>;

/**
 * For a directory of the user's own, where nothing is committed, so no branch shows the work. Undefined for all
 * other workspaces.
 */
export async function watchShared(
  { git, backends }: Pick<Context, 'backends' | 'git'>,
  record: WorkspaceRecord,
): Promise<HasChanged | undefined> {
  if (backends.of(record.backend).ownsFiles) return undefined;
  const place = await findCheckout(git, record.path);
  const before = place && (await observeCheckout(git, place));
  if (!before) return async () => null;
  return async () => {
    const after = await observeCheckout(git, place);
    return after ? compareObservations(before, after, place.workTree).length > 0 : null;
  };
}
