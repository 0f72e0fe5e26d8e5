import { createRisk, type Risk } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readRef } from '../../git/refs/refs.js';
import { readWorkTreeState } from '../../git/work-tree/work-tree-state.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import { headOf, type WorkingCopy } from '../../jj/working-copy.js';
import type { RiskOptions, SnapshotLimits } from '../backend.js';
import { requireOurs } from '../location/presence.js';
import { findFileRisks, itemRisk, listFileRisks } from '../work/file-risks.js';
import { withInspectionLimit } from '../work/inspection-limit.js';
import { findUnlandedWork } from '../work/landed-work.js';
import { viewOf, withView } from './git-view.js';
import { exportToGit } from './inspect.js';
import { type JjBackendOptions, requireCommonDir } from './jj-place.js';
import { inspectJjPresence } from './jj-presence.js';

/**
 * What removing would lose, based on the files and the commits. jj itself loses no commit: they stay visible after the
 * workspace is forgotten. But users would not look for them there.
 */
export async function findJjRisks(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  limits: SnapshotLimits,
  risks: RiskOptions = {},
): Promise<Risk[]> {
  const { presence, workingCopy } = await inspectJjPresence(options, record);
  requireOurs(record, presence);
  if (!workingCopy) return [];
  await exportToGit(options.jj, record);
  const { git, temporaryRoot } = options;
  const view = viewOf(record, headOf(workingCopy));
  const { included } = record;
  const readRisks = async (place: WorkTreePlace) =>
    listFileRisks(await readWorkTreeState(git, place, { limits, included, temporaryRoot }));
  const files = await findFileRisks(() =>
    withView(git, temporaryRoot, view, place =>
      risks.isLook
        ? withInspectionLimit(place, readRisks, { markDir: options.ownDirOf(record.id) })
        : readRisks(place),
    ),
  );
  return [
    ...files,
    ...findConflictRisk(workingCopy),
    ...(await findCommitRisks(options, record, workingCopy, risks)),
  ];
}

function findConflictRisk({ conflicts }: WorkingCopy): Risk[] {
  return conflicts.length === 0
    ? []
    : [
        createRisk(
          'conflicted',
          `unresolved conflicts in ${conflicts.length} ${conflicts.length === 1 ? 'file' : 'files'}`,
          conflicts,
        ),
      ];
}

/** Commits of the workspace and of its bookmark that no other bookmark or tag holds, even rewritten. */
async function findCommitRisks(
  { git, temporaryRoot }: JjBackendOptions,
  record: WorkspaceRecord,
  workingCopy: WorkingCopy,
  risks: RiskOptions,
): Promise<Risk[]> {
  const place = { gitDir: requireCommonDir(record) };
  const bookmark =
    record.branch === null ? undefined : await readRef(git, place, `refs/heads/${record.branch}`);
  const tips = [...new Set([headOf(workingCopy) ?? undefined, bookmark])].filter(tip => tip !== undefined);
  const answers = await Promise.all(
    tips.map(tip => findUnlandedWork(git, temporaryRoot, record, tip, risks)),
  );
  const commits = new Map(
    answers.flatMap(answer => answer.commits).map(commit => [commit.id, commit.subject]),
  );
  const items = [...commits].map(([id, subject]) => `${id.slice(0, 10)} ${subject}`.trimEnd());
  return itemRisk(
    'commits',
    `${items.length} ${items.length === 1 ? 'commit' : 'commits'} not landed:`,
    items,
  );
}
