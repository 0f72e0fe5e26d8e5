import { isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { captureWorkTree } from '../../git/snapshot/capture/capture.js';
import { headOf, readOperation, recordFiles } from '../../jj/working-copy.js';
import type { Captured, CaptureRequest, Snapshotting } from '../backend.js';
import { listKeptCommits } from '../snapshot/kept-pins.js';
import { keepInRepository } from '../snapshot/snapshot-keeping.js';
import { snapshotRef } from '../snapshot/snapshot-ref.js';
import { viewOf, withView } from './git-view.js';
import { exportToGit } from './inspect.js';
import { type JjBackendOptions, requireCommonDir } from './jj-place.js';
import { readOwnWorkingCopy } from './jj-presence.js';

/**
 * Two snapshots: jj records the files in its working-copy commit and operation log, for `jj op restore`; and one in the
 * form that all backends share holds what jj leaves out (ignored files, names that are not UTF-8, modes) and pins both,
 * because jj may abandon and collect its own.
 */
export function createJjSnapshots(options: JjBackendOptions): Snapshotting {
  return {
    place: (record, snapshotId) => ({ objectStore: requireCommonDir(record), ref: snapshotRef(snapshotId) }),
    capture: (record, request) => capture(options, record, request),
    ...keepInRepository(options.git, options.keptDir),
  };
}

async function capture(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  request: CaptureRequest,
): Promise<Captured> {
  const { git, jj, temporaryRoot } = options;
  const files = request.filesAt ?? record.path;
  // jj would read its configuration from these files.
  const trace = record.sandbox ? null : await recordInJj(options, record, files);
  await exportToGit(jj, record);
  const workingCopy = await readOwnWorkingCopy(options, record);
  const head = workingCopy ? headOf(workingCopy) : record.base.commit;
  const kept = await listKeptCommits(git, requireCommonDir(record), record.id);
  const commits = [record.base.commit, workingCopy?.commit, ...kept].filter(
    commit => typeof commit === 'string',
  );
  const view = viewOf(record, head, files);
  return withView(git, temporaryRoot, view, place =>
    captureWorkTree(
      git,
      { ...place, leftOut: request.leftOut },
      {
        ref: snapshotRef(request.snapshotId),
        message: describe(request.message, trace, workingCopy?.changeId),
        limits: request.limits,
        branch: record.branch,
        commits,
        privateGitDir: request.privateGitDir,
        privateHome: request.privateHome,
        keptDir: options.keptDir,
        onKept: request.onKept,
        now: request.at,
        temporaryRoot,
      },
    ),
  );
}

/** The operation; null when jj could not record the files, because they are gone or the workspace is stale. */
async function recordInJj(
  { jj }: JjBackendOptions,
  record: WorkspaceRecord,
  files: string,
): Promise<string | null> {
  try {
    await recordFiles(jj, files);
    return await readOperation(jj, record.repository);
  } catch (error) {
    if (isCarrelError(error, 'JJ_FAILED')) return null;
    throw error;
  }
}

function describe(message: string | null, operation: string | null, changeId: string | undefined): string {
  const back =
    operation === null ? [] : [`jj operation ${operation}; return to it with: jj op restore ${operation}`];
  const change = changeId === undefined ? [] : [`jj change ${changeId}`];
  return [message ?? 'carrel: snapshot', '', ...back, ...change].join('\n').trimEnd();
}
