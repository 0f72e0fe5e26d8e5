import type { NewEvent } from '../../domain/event.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import { formatSnapshotMessage } from '../../domain/snapshot/snapshot-note.js';
import { listRefs, readRef } from '../../git/refs/refs.js';
import { captureWorkTree } from '../../git/snapshot/capture/capture.js';
import type { CaptureWorkTreeRequest } from '../../git/snapshot/capture/capture-request.js';
import { borrowObjects } from '../../git/snapshot/import-objects.js';
import { keptDirIn } from '../../git/snapshot/kept-store.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import { snapshotRef } from '../../workspace/snapshot/snapshot-ref.js';
import { describeChanging, describeSnapshot, requireWhole } from '../capture/take-snapshot.js';
import type { Context } from '../context.js';
import { findSnapshotRules } from '../settings/snapshot-rules.js';

/**
 * Takes the promised snapshot of remains, from their own git directory. Repeated after a crash, it replaces the earlier one.
 */
export async function captureRemains(
  context: Context,
  remains: Remains,
  place: WorkTreePlace,
  facts: Pick<CaptureWorkTreeRequest, 'head' | 'removed'>,
): Promise<void> {
  const { id, repositoryId, workspaceId, reason } = remains;
  const event = (type: NewEvent['type']): NewEvent => ({
    type,
    repositoryId,
    workspaceId,
    data: { snapshot: id, reason },
  });
  const { limits, keepDays } = await findSnapshotRules(context, remains);
  const ref = snapshotRef(id);
  const source = { ...remains, id: workspaceId, name: remains.workspaceName, backend: 'git' } as const;
  const draft = await describeSnapshot(context, source, { id, reason, message: null }, keepDays);
  if (!(await context.store.snapshots.find(id)))
    await context.store.snapshots.insert(draft, [event('snapshot.taking')]);
  await borrowObjects(context.git, place, context.places.temporaryRoot);
  const captured = await captureWorkTree(context.git, place, {
    ref,
    replaces: await readRef(context.git, { gitDir: place.commonDir }, ref),
    message: formatSnapshotMessage(draft),
    limits,
    branch: remains.branch,
    commits: await listCommits(context, remains, place),
    keptDir: keptDirIn(context.places.stateDir),
    onKept: () => context.onStep('snapshot', 'kept'),
    now: new Date(draft.createdAt),
    temporaryRoot: context.places.temporaryRoot,
    ...facts,
  });
  const { commit, kept = null, files, omitted } = captured;
  const changing = describeChanging(captured, context.now());
  const done = { commit, kept, files, omitted: [...omitted], ...(changing && { changing }) };
  await requireWhole(context, { ...draft, ...done });
  await context.store.snapshots.update(id, done, [event('snapshot.taken')]);
}

/** The work's base, and everything reachable from the refs of their private git directory. */
async function listCommits(
  context: Pick<Context, 'git'>,
  remains: Remains,
  place: WorkTreePlace,
): Promise<string[]> {
  const base = remains.base.commit === null ? [] : [remains.base.commit];
  const own = await listRefs(context.git, { gitDir: place.gitDir }, []);
  const shared = new Set(
    (await listRefs(context.git, { gitDir: place.commonDir }, [])).map(({ commit }) => commit),
  );
  return [...base, ...own.map(({ commit }) => commit).filter(commit => !shared.has(commit))];
}
