import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { JournalEntry } from '../../domain/journal.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Landing, LandPlan } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { aliasOf, isRepositoryGone } from '../group/group-records.js';
import { inRepositoryLock } from '../repository/hold-repository-lock.js';

/** A part of a landing in several repositories, whose branch may have moved. */
export interface LandedPart {
  readonly record: WorkspaceRecord;
  readonly plan: LandPlan;
}

/**
 * Moves the branches of an incomplete landing back, by compare-and-swap, with their clean checkouts. False when one could not be
 * moved back yet: recovery tries again.
 */
export async function moveBack(
  context: Pick<Context, 'backends' | 'narrate'>,
  parts: readonly LandedPart[],
): Promise<boolean> {
  let isBack = true;
  for (const part of parts) {
    try {
      await movePartBack(context, part);
    } catch (error) {
      isBack = false;
      const problem = error instanceof Error ? error.message : String(error);
      context.narrate(`warning: ${aliasOf(part.record)} could not be moved back yet: ${problem}`);
    }
  }
  return isBack;
}

async function movePartBack(
  context: Pick<Context, 'backends' | 'narrate'>,
  { record, plan }: LandedPart,
): Promise<void> {
  if (isRepositoryGone(record)) return;
  const landing = requireLanding(context, record);
  // First the checkouts of a move that was interrupted: only a complete one can be reversed.
  await landing.finish(record, plan);
  const reversed = { ...plan, before: plan.after, after: plan.before };
  await landing
    .move(record, reversed, async () => {})
    .catch(error => {
      if (!isCarrelError(error, 'REF_MOVED')) throw error;
      if (error.details.found === plan.before) return;
      context.narrate(
        `warning: ${plan.into} of ${aliasOf(record)} keeps what was landed, because it has moved since`,
      );
    });
}

/** After a crash before the last branch had moved. */
export async function recoverParts(context: Context, entry: JournalEntry): Promise<void> {
  if (entry.step !== 'merged') return;
  const found: LandedPart[] = [];
  for (const { id, plan } of entry.data.parts as readonly {
    readonly id: string;
    readonly plan: LandPlan;
  }[]) {
    const record = await context.store.workspaces.find(id);
    if (record) found.push({ record, plan });
  }
  const records = found.map(({ record }) => record);
  await inAllLocks(context, records, async () => {
    for (const part of found) await movePartBack(context, part);
  });
}

/** Always in the same order, so that two landings never wait for each other. */
export async function inAllLocks<T>(
  context: Pick<Context, 'store' | 'ids' | 'now' | 'self'>,
  records: readonly WorkspaceRecord[],
  action: () => Promise<T>,
): Promise<T> {
  const ordered = [...records].sort((a, b) => (a.repositoryId < b.repositoryId ? -1 : 1));
  const locked = ordered.reduceRight(
    (inner, record) => () => inRepositoryLock(context, record, inner),
    action,
  );
  return locked();
}

/** The part of a backend that lands. NOT_SUPPORTED */
export function requireLanding(
  { backends }: Pick<Context, 'backends'>,
  record: Pick<WorkspaceRecord, 'backend' | 'branch' | 'path'>,
): Landing {
  const { backend } = record;
  const { landing } = backends.of(backend);
  if (!landing) throw carrelError('NOT_SUPPORTED', { what: 'be landed', backend, ...findOtherWay(record) });
  return landing;
}

/** The files of a directory in place are there already, so that only its branch is left to move, which is the user's. */
function findOtherWay({ backend, branch, path }: Pick<WorkspaceRecord, 'backend' | 'branch' | 'path'>) {
  if (backend !== 'direct') return {};
  const instead =
    branch === null
      ? `its files are in ${path} already; commit them there`
      : `its files are in ${path} already; move your branch to its commits with: git -C ${path} reset ${branch}`;
  return { instead };
}
