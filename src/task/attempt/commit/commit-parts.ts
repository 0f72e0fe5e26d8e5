import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { Context } from '../../../operations/context.js';
import { aliasOf, listParts } from '../../../operations/group/group-records.js';
import type { PartCommits } from '../../record/task-repositories.js';
import { readTip } from './branch-tip.js';
import type { CommitFailure } from './commit-failure.js';
import { type CommittedWork, type CommitWorkRequest, commitWork } from './commit-work.js';

export interface CommitPartsRequest extends CommitWorkRequest {
  /** The branch's commit before, in each repository. */
  readonly parts: PartCommits;
}

type Committed = Extract<CommittedWork, { kind: 'committed' }>;

export type CommittedParts = (Committed & { readonly commits: PartCommits }) | CommitFailure;

/**
 * Commits what an agent left in all repositories of its workspace. It counts only when all of them could be committed; when one could
 * not, the work in the others is committed nevertheless, so that nothing is lost, and the first failure is the result.
 */
export async function commitParts(
  context: Context,
  record: WorkspaceRecord,
  { parts: before, ...request }: CommitPartsRequest,
): Promise<CommittedParts> {
  const parts = await listParts(context, record);
  if (parts.length === 1) return withCommits(await commitWork(context, record, request), {});
  const done: Committed[] = [];
  const failures: CommitFailure[] = [];
  for (const part of parts) {
    const work = await commitWork(context, part, { ...request, before: before[aliasOf(part)] ?? null });
    context.onStep('task', `committed-part.${aliasOf(part)}`);
    if (work.kind === 'failed') failures.push(withAlias(part, work));
    else done.push({ ...work, warnings: work.warnings.map(text => `${aliasOf(part)}: ${text}`) });
  }
  return failures[0] ?? joinWork(parts, done);
}

const withCommits = (work: CommittedWork, commits: PartCommits): CommittedParts =>
  work.kind === 'failed' ? work : { ...work, commits };

const withAlias = (part: WorkspaceRecord, { kind, failure }: CommitFailure): CommitFailure => ({
  kind,
  failure: { ...failure, message: `${aliasOf(part)}: ${failure.message}` },
});

function joinWork(parts: readonly WorkspaceRecord[], done: readonly Committed[]): CommittedParts {
  return {
    kind: 'committed',
    commit: done[0]?.commit ?? null,
    changed: done.some(({ changed }) => changed),
    committed: done.some(({ committed }) => committed),
    warnings: done.flatMap(({ warnings }) => warnings),
    commits: Object.fromEntries(parts.map((part, index) => [aliasOf(part), done[index]?.commit ?? null])),
  };
}

/** Where the branch of each repository is now; `known` is for those without a separate branch in git, as in jj. */
export async function readPartCommits(
  context: Pick<Context, 'store' | 'git'>,
  record: WorkspaceRecord,
  known: (part: WorkspaceRecord) => string | null,
): Promise<PartCommits> {
  if (!record.group) return {};
  const commits: Record<string, string | null> = {};
  for (const part of await listParts(context, record))
    commits[aliasOf(part)] = (await readTip(context, part)) ?? known(part);
  return commits;
}
