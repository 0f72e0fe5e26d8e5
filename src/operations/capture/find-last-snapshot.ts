import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { Context } from '../context.js';

/** The newest state of a workspace that a snapshot holds, since its last reset; incomplete ones are skipped. */
export async function findLastState(
  context: Pick<Context, 'store' | 'backends'>,
  workspaceId: string,
): Promise<Snapshot | undefined> {
  for (const snapshot of await context.store.snapshots.list({ workspaceId })) {
    if (snapshot.reason === 'reset') return undefined;
    if (snapshot.commit !== null && (await isWhole(context, snapshot))) return snapshot;
  }
  return undefined;
}

/** Without the separately stored part the work itself is still restored, and a warning says what is missing. */
export async function isWhole({ backends }: Pick<Context, 'backends'>, snapshot: Snapshot): Promise<boolean> {
  const { snapshots } = backends.of(snapshot.backend);
  const verify = async (part: 'verify' | 'verifySent') =>
    (await snapshots?.[part]?.(snapshot)) === snapshot.commit;
  return (await verify('verify')) || verify('verifySent');
}
