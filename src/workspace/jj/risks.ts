import { createRisk, type Risk } from '../../domain/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { readRef } from '../../git/refs.js';
import { readWorkTreeState } from '../../git/work-tree-state.js';
import { headOf, type WorkingCopy } from '../../jj/working-copy.js';
import type { RiskOptions, SnapshotLimits } from '../backend.js';
import { itemRisk, listFileRisks } from '../file-risks.js';
import { findUnlandedWork } from '../landed-work.js';
import { requireOurs } from '../presence.js';
import { settleRefs } from './inspect.js';
import { type JjBackendOptions, requireCommonDir } from './place.js';
import { sight } from './presence.js';
import { viewOf, withView } from './view.js';

/**
 * What removing would lose, as far as the files and the commits tell. Of commits jj itself loses nothing: they stay
 * visible when the workspace is forgotten. But nobody would look for them there.
 */
export async function findJjRisks(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  limits: SnapshotLimits,
  risks: RiskOptions = {},
): Promise<Risk[]> {
  const { presence, workingCopy } = await sight(options.jj, record);
  requireOurs(record, presence);
  if (!workingCopy) return [];
  await settleRefs(options.jj, record);
  const { git, temporaryRoot } = options;
  const view = viewOf(record, headOf(workingCopy));
  const state = await withView(git, temporaryRoot, view, place =>
    readWorkTreeState(git, place, { limits, included: record.included, temporaryRoot }),
  );
  return [
    ...listFileRisks(state),
    ...findConflictRisk(workingCopy),
    ...(await findCommitRisks(options, record, workingCopy, risks)),
  ];
}

function findConflictRisk({ conflicts }: WorkingCopy): Risk[] {
  return conflicts.length === 0
    ? []
    : [createRisk('conflicted', `unsettled conflicts in ${conflicts.length} file(s)`, conflicts)];
}

/** Commits of the workspace and of its bookmark that no other bookmark or tag holds, in whatever form. */
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
  return itemRisk('commits', `${items.length} commit(s) that are not landed:`, items);
}
