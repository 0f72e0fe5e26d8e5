import type { NewEvent } from '../domain/event.js';
import type { Remains } from '../domain/remains.js';
import { borrowObjects } from '../git/capture/borrow-objects.js';
import { captureWorkTree } from '../git/capture/capture.js';
import type { CaptureWorkTreeRequest } from '../git/capture/request.js';
import { listRefs, readRef } from '../git/refs.js';
import type { WorkTreePlace } from '../git/work-tree/place.js';
import { snapshotRef } from '../workspace/snapshot-ref.js';
import type { Context } from './context.js';
import { findSnapshotRules } from './snapshot-rules.js';
import { describeSnapshot, requireWhole } from './take-snapshot.js';

/**
 * Takes the snapshot that remains were promised to become, from their own git directory. Begun once more after a crash,
 * it replaces what it made before.
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
  const draft = describeSnapshot(context, source, { id, reason, message: null }, keepDays);
  if (!(await context.store.snapshots.find(id)))
    await context.store.snapshots.insert(draft, [event('snapshot.taking')]);
  await borrowObjects(context.git, place, context.places.temporaryRoot);
  const captured = await captureWorkTree(context.git, place, {
    ref,
    replaces: await readRef(context.git, { gitDir: place.commonDir }, ref),
    message: null,
    limits,
    branch: remains.branch,
    commits: await listCommits(context, remains, place),
    now: new Date(draft.createdAt),
    temporaryRoot: context.places.temporaryRoot,
    ...facts,
  });
  const done = { commit: captured.commit, files: captured.files, omitted: [...captured.omitted] };
  await requireWhole(context, { ...draft, ...done });
  await context.store.snapshots.update(id, done, [event('snapshot.taken')]);
}

/** Where the work began, and whatever the refs of a git directory of their own lead to. */
async function listCommits(context: Context, remains: Remains, place: WorkTreePlace): Promise<string[]> {
  const base = remains.base.commit === null ? [] : [remains.base.commit];
  const own = await listRefs(context.git, { gitDir: place.gitDir }, []);
  const shared = new Set(
    (await listRefs(context.git, { gitDir: place.commonDir }, [])).map(({ commit }) => commit),
  );
  return [...base, ...own.map(({ commit }) => commit).filter(commit => !shared.has(commit))];
}
