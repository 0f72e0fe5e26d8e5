import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isCarrelError } from '../../domain/error/error.js';
import { updateRefs } from '../../git/refs/refs.js';
import { listBranchHolders } from '../../git/repository/branch-holder.js';
import { INSIDE } from '../../runtime/policy.js';
import type { Sandbox } from '../../runtime/runtime.js';
import { findFailedStep, recordFailedStep } from '../failed-steps.js';
import { withAdoptedPack } from '../incoming/adopt-pack.js';
import { checkContent } from '../incoming/content/content-policy.js';
import { DEFAULT_LIMITS, type ImportLimits } from '../incoming/import-limits.js';
import { type IncomingRepository, withIncoming } from '../incoming/incoming-repository.js';
import { listNewCommits } from '../incoming/new-commits.js';
import { receivePush } from '../incoming/receive-push.js';
import { type PrivateHead, readPrivateHead } from '../private-git/private-head.js';
import type { SandboxPlace } from '../sandbox-place.js';
import {
  exchangedRef,
  type OutsideBranch,
  type OutsideBranchRequest,
  readOutsideBranch,
} from './exchanged-ref.js';

export interface ImportRequest extends OutsideBranchRequest {
  readonly place: Pick<SandboxPlace, 'root' | 'gitDir'>;
  readonly run: Sandbox['run'];
  readonly limits?: Partial<ImportLimits> | undefined;
  /** Whether the branch may move while it is checked out: the workspace itself is its worktree, by default. */
  readonly movesCheckouts?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type ImportResult =
  | { readonly outcome: 'unchanged'; readonly tip: string }
  | { readonly outcome: 'imported'; readonly from: string; readonly to: string; readonly commits: number }
  /** Nothing was changed. Each problem is a sentence. */
  | {
      readonly outcome: 'refused';
      readonly problems: readonly string[];
      /** What has to be merged inside first, by its name there. */
      readonly unmerged?: string | undefined;
    };

/** Another process may import at the same time, or the user may commit outside: then start over. */
const ATTEMPTS = 5;

/**
 * Imports the commits made inside to the workspace's branch in the repository:
 *
 *     check → push into an incoming repository → check what came → move its pack → move the branch
 *
 * Only the last two touch the repository: a pack that no ref needs yet, and one branch with its pin, by compare-and-swap in
 * one transaction. Commits that the user made outside are never dropped.
 *
 * The agent can make this take the full timeout. So a refusal that took long is remembered and returned at once while
 * nothing has changed on either side.
 */
export async function importFromSandbox(request: ImportRequest): Promise<ImportResult> {
  const outside = await readOutsideBranch(request);
  const head = await readPrivateHead(request.place.gitDir, request.branch);
  const state = JSON.stringify([outside, head]);
  const failed = await findFailedStep(request.place, 'take-back', state);
  if (failed) return refuse(...failed.problems, 'nothing has changed since, so it was not retried');
  const startedAt = performance.now();
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  const result = await importWithinTime(request, limits);
  if (result.outcome === 'refused' && performance.now() - startedAt >= limits.patienceMs)
    await recordFailedStep(request.place, 'take-back', state, result.problems);
  return result;
}

async function importWithinTime(request: ImportRequest, limits: ImportLimits): Promise<ImportResult> {
  const clock = AbortSignal.timeout(limits.timeMs);
  const signal = request.signal ? AbortSignal.any([clock, request.signal]) : clock;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const result = await attemptImport({ ...request, limits, signal });
      if (result !== 'moved') return result;
    }
    return refuse('the branch kept moving outside the sandbox');
  } catch (error) {
    if (!clock.aborted || request.signal?.aborted) throw error;
    return refuse(`git inside did not send them within ${limits.timeMs / 1000} seconds`);
  }
}

const refuse = (...problems: readonly string[]): ImportResult => ({ outcome: 'refused', problems });

type Attempt = ImportRequest & { readonly limits: ImportLimits; readonly signal: AbortSignal };

async function attemptImport(attempt: Attempt): Promise<ImportResult | 'moved'> {
  const outside = await readOutsideBranch(attempt);
  const unchanged: ImportResult = { outcome: 'unchanged', tip: outside.tip ?? outside.exchanged };
  const [obstacle] = await findBlockingFiles(attempt.place.gitDir, attempt.branch);
  if (obstacle !== undefined)
    return refuse(`${obstacle} in the sandbox's git directory is a named pipe, a socket or a device`);
  const head = await chooseSource(attempt);
  const isKnown = head.commit !== undefined && [outside.tip, outside.exchanged].includes(head.commit);
  if (head.isUnborn || isKnown) return unchanged;
  const holder = attempt.movesCheckouts === false ? await findHolder(attempt) : undefined;
  if (holder !== undefined)
    return refuse(`${attempt.branch} is checked out in ${holder}; switch to another branch there`);
  const request = { ...attempt, tip: outside.tip, isSha256: attempt.base.length === 64 };
  return withIncoming(request, async incoming => {
    const { tip, problems } = await receivePush({ ...attempt, source: head.source }, incoming);
    if (tip !== undefined && tip !== outside.tip) return checkAndMoveBranch(attempt, incoming, outside, tip);
    if (problems.length > 0) return refuse(...problems);
    return head.commit === undefined ? unchanged : refuse('git inside did not send the tip of its branch');
  });
}

/** Files that every git opens first without checking their type: a named pipe there blocks it forever. */
const OPENED_FIRST = ['HEAD', 'config', 'packed-refs', 'index', 'shallow', 'objects/info/alternates'];

/** Those of these files that are not files, directories or links. */
async function findBlockingFiles(gitDir: string, branch: string): Promise<string[]> {
  const names = [...OPENED_FIRST, `refs/heads/${branch}`];
  const infos = await Promise.all(names.map(name => lstat(join(gitDir, name)).catch(() => undefined)));
  return names.filter((_, at) => {
    const info = infos[at];
    return info !== undefined && !info.isFile() && !info.isDirectory() && !info.isSymbolicLink();
  });
}

/** The user's HEAD never moves, so the branch must not be checked out. */
async function findHolder({ git, commonDir, branch }: Attempt): Promise<string | undefined> {
  const [holder] = await listBranchHolders(git, commonDir, `refs/heads/${branch}`);
  return holder?.worktree.path;
}

/**
 * When the agent continues on a new branch on top of the workspace's branch, all of it is imported. On a branch that does
 * not contain the workspace's branch the agent works on something else, and importing that would drop commits made for the
 * workspace. Only git inside knows those commits, so it answers; a lie here only sends us other commits of the agent's.
 */
async function chooseSource({ place, branch, run, signal }: Attempt): Promise<PrivateHead> {
  const head = await readPrivateHead(place.gitDir, branch);
  if (head.left === undefined) return head;
  const own = `refs/heads/${branch}`;
  const question = ['git', '-c', 'core.hooksPath=/dev/null', 'merge-base', '--is-ancestor', own, 'HEAD'];
  const environment = { GIT_DIR: INSIDE.git };
  const { exitCode } = await run({ command: question, environment, signal, maxOutputBytes: 64 * 1024 });
  return exitCode === 0 ? head : { source: own, commit: head.left, isUnborn: false };
}

async function checkAndMoveBranch(
  attempt: Attempt,
  incoming: IncomingRepository,
  outside: OutsideBranch,
  tip: string,
): Promise<ImportResult | 'moved'> {
  const { git, commonDir, limits, signal } = attempt;
  const known = [outside.exchanged, ...(outside.tip === null ? [] : [outside.tip])];
  const commits = await listNewCommits(git, incoming, tip, known, limits.commits);
  if (!(await containsOutside(attempt, incoming, outside, tip))) return refuseDiverged(attempt.branch);
  const problems = await checkContent({ git, incoming, commonDir, commits, limits, signal });
  if (problems.length > 0) return refuse(...problems);
  const from = outside.tip ?? outside.exchanged;
  const isMoved = await withAdoptedPack(incoming.gitDir, commonDir, () => moveBranch(attempt, outside, tip));
  return isMoved ? { outcome: 'imported', from, to: tip, commits: commits.length } : 'moved';
}

const refuseDiverged = (branch: string): ImportResult => ({
  outcome: 'refused',
  problems: [`the branch ${branch} has commits from outside the sandbox that are missing inside it`],
  unmerged: `origin/${branch}`,
});

/** The last exchanged commit came from inside and may be rewritten there; later ones outside are the user's. */
async function containsOutside(
  { git }: Attempt,
  { options }: IncomingRepository,
  { tip, exchanged: taken }: OutsideBranch,
  newTip: string,
): Promise<boolean> {
  if (tip === null || tip === taken) return true;
  return git.succeeds(['merge-base', '--is-ancestor', tip, newTip], options);
}

async function moveBranch(attempt: Attempt, outside: OutsideBranch, tip: string): Promise<boolean> {
  const { git, commonDir, workspaceId, branch } = attempt;
  const changes = [
    { ref: `refs/heads/${branch}`, from: outside.tip, to: tip },
    { ref: exchangedRef(workspaceId), from: outside.pin, to: tip },
  ];
  try {
    await updateRefs(git, { gitDir: commonDir }, changes, 'carrel: import commits');
    return true;
  } catch (error) {
    if (isCarrelError(error, 'REF_MOVED')) return false;
    throw error;
  }
}
