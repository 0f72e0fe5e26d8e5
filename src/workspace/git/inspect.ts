import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { findWorktreePresence } from '../../git/linked-worktree.js';
import { listRefs } from '../../git/refs.js';
import { readStatus } from '../../git/status.js';
import { readForeignStatus } from '../../git/work-tree/foreign-status.js';
import type { Inspection, InspectOptions, Presence } from '../backend.js';
import { compareWithBase } from '../compare-with-base.js';
import { mapAtOnce } from '../map-at-once.js';
import { presenceAlone } from '../presence.js';
import { measureDirectory } from '../size.js';
import { requireCommonDir, worktreeGitDir, worktreeOf } from './place.js';

/** git runs that go on at once: enough to keep a disk busy, not so many that the machine feels it. */
const AT_ONCE = 4;

/** Branches of one repository by short name, read once for all of its workspaces. */
type Tips = ReadonlyMap<string, string>;

export async function inspectWorktrees(
  git: Git,
  temporaryRoot: string,
  records: readonly WorkspaceRecord[],
  options: InspectOptions,
): Promise<Inspection[]> {
  const tips = new Map<string, Promise<Tips>>();
  const tipsOf = (commonDir: string): Promise<Tips> => {
    const known = tips.get(commonDir) ?? readTips(git, commonDir);
    tips.set(commonDir, known);
    return known;
  };
  return mapAtOnce(records, AT_ONCE, record =>
    inspectOne(git, temporaryRoot, record, options, tipsOf).catch(async error => {
      // It may be removed while it is looked at; that is no reason to say nothing about all others.
      const presence = await findPresence(record);
      if (presence.kind === 'present') throw error;
      return presenceAlone(presence);
    }),
  );
}

async function inspectOne(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  options: InspectOptions,
  tipsOf: (commonDir: string) => Promise<Tips>,
): Promise<Inspection> {
  const presence = await findPresence(record);
  if (presence.kind !== 'present' || options.presenceOnly) return presenceAlone(presence);
  const place = worktreeGitDir(record);
  const status = place.isForeign
    ? await readForeignStatus(git, place, temporaryRoot)
    : await readStatus(git, place);
  const baseTip = await findBaseTip(record, tipsOf);
  return {
    presence,
    branch: status.branch,
    head: status.head,
    changes: status.changes,
    ...(await compareWithBase(git, temporaryRoot, record, status.head, baseTip)),
    sizeBytes: options.size ? await measureDirectory(record.path) : null,
  };
}

export async function findPresence(record: WorkspaceRecord): Promise<Presence> {
  const presence = await findWorktreePresence(worktreeOf(record));
  if (presence === 'present' || presence === 'missing') return { kind: presence };
  if ('movedTo' in presence) return { kind: 'moved', to: presence.movedTo };
  return { kind: 'replaced', found: presence.found };
}

async function readTips(git: Git, commonDir: string): Promise<Tips> {
  const refs = await listRefs(git, { gitDir: commonDir }, ['refs/heads', 'refs/remotes']);
  return new Map(refs.map(({ ref, commit }) => [ref.replace(/^refs\/(heads|remotes)\//, ''), commit]));
}

/** Where the base is now: the branch's tip when it was a branch, else the commit it was at creation. */
async function findBaseTip(
  record: WorkspaceRecord,
  tipsOf: (commonDir: string) => Promise<Tips>,
): Promise<string | null> {
  if (!record.base.ref) return record.base.commit;
  return (await tipsOf(requireCommonDir(record))).get(record.base.ref) ?? record.base.commit;
}
