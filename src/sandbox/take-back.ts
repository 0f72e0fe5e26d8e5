import { isCarrelError } from '../domain/error.js';
import { updateRefs } from '../git/refs.js';
import { INSIDE } from '../runtime/policy.js';
import type { Sandbox } from '../runtime/runtime.js';
import { withAdoptedPack } from './incoming/adopt-pack.js';
import { checkContent } from './incoming/content-policy.js';
import { type IncomingRepository, withIncoming } from './incoming/incoming-repository.js';
import { DEFAULT_LIMITS, type TakeBackLimits } from './incoming/limits.js';
import { listNewCommits } from './incoming/new-commits.js';
import { receivePush } from './incoming/receive-push.js';
import type { SandboxPlace } from './place.js';
import { type PrivateHead, readPrivateHead } from './private-head.js';
import { type OutsideStand, readOutsideStand, type StandRequest, takenRef } from './taken-ref.js';

export interface TakeBackRequest extends StandRequest {
  readonly place: Pick<SandboxPlace, 'gitDir'>;
  readonly exec: Sandbox['exec'];
  readonly limits?: Partial<TakeBackLimits> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type TakeBackResult =
  | { readonly outcome: 'unchanged'; readonly tip: string }
  | { readonly outcome: 'taken'; readonly from: string; readonly to: string; readonly commits: number }
  /** Nothing was changed. Each problem is a sentence. */
  | {
      readonly outcome: 'refused';
      readonly problems: readonly string[];
      /** What has to be merged inside first, as it is called there. */
      readonly unmerged?: string | undefined;
    };

/** Another process may take back at the same time, or the user may commit outside: once more then, from the start. */
const ATTEMPTS = 5;

/**
 * Brings the commits that were made inside to the workspace's branch in the repository:
 *
 *     look → push into an incoming repository → judge what came → move its pack → move the branch
 *
 * Only the last two touch the repository: a pack that nobody refers to yet, and one branch with its pin, by
 * compare-and-swap in one transaction. Nothing that the user committed outside is ever left behind by it.
 */
export async function takeBack(request: TakeBackRequest): Promise<TakeBackResult> {
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  const clock = AbortSignal.timeout(limits.timeMs);
  const signal = request.signal ? AbortSignal.any([clock, request.signal]) : clock;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const result = await attemptTakeBack({ ...request, limits, signal });
      if (result !== 'moved') return result;
    }
    return refuse('the branch was moved outside again and again');
  } catch (error) {
    if (!clock.aborted || request.signal?.aborted) throw error;
    return refuse(`they did not come within ${limits.timeMs / 1000} seconds`);
  }
}

const refuse = (...problems: readonly string[]): TakeBackResult => ({ outcome: 'refused', problems });

type Attempt = TakeBackRequest & { readonly limits: TakeBackLimits; readonly signal: AbortSignal };

async function attemptTakeBack(attempt: Attempt): Promise<TakeBackResult | 'moved'> {
  const stand = await readOutsideStand(attempt);
  const unchanged: TakeBackResult = { outcome: 'unchanged', tip: stand.tip ?? stand.taken };
  const head = await chooseSource(attempt);
  const isKnown = head.commit !== undefined && [stand.tip, stand.taken].includes(head.commit);
  if (head.isUnborn || isKnown) return unchanged;
  const request = { ...attempt, tip: stand.tip, isSha256: attempt.base.length === 64 };
  return withIncoming(request, async incoming => {
    const { tip, problems } = await receivePush({ ...attempt, source: head.source }, incoming);
    if (tip !== undefined && tip !== stand.tip) return judgeAndMove(attempt, incoming, stand, tip);
    if (problems.length > 0) return refuse(...problems);
    return head.commit === undefined
      ? unchanged
      : refuse('git inside did not send what its branch stands at');
  });
}

/**
 * An agent that goes on from its own branch on one that it made means all of that; but on a branch that does not contain
 * the own one it is at something else, and taking that would leave behind what was committed for the workspace. Git
 * inside tells, which is the only one that knows those commits; whoever lies here gives us other commits of his own.
 */
async function chooseSource({ place, branch, exec, signal }: Attempt): Promise<PrivateHead> {
  const head = await readPrivateHead(place.gitDir, branch);
  if (head.left === undefined) return head;
  const own = `refs/heads/${branch}`;
  const question = ['git', '-c', 'core.hooksPath=/dev/null', 'merge-base', '--is-ancestor', own, 'HEAD'];
  const environment = { GIT_DIR: INSIDE.git };
  const { exitCode } = await exec({ command: question, environment, signal, maxOutputBytes: 64 * 1024 });
  return exitCode === 0 ? head : { source: own, commit: head.left, isUnborn: false };
}

async function judgeAndMove(
  attempt: Attempt,
  incoming: IncomingRepository,
  stand: OutsideStand,
  tip: string,
): Promise<TakeBackResult | 'moved'> {
  const { git, commonDir, limits, signal } = attempt;
  const known = [stand.taken, ...(stand.tip === null ? [] : [stand.tip])];
  const commits = await listNewCommits(git, incoming, tip, known, limits.commits);
  if (!(await containsOutside(attempt, incoming, stand, tip))) return refuseApart(attempt.branch);
  const problems = await checkContent({ git, incoming, commonDir, commits, limits, signal });
  if (problems.length > 0) return refuse(...problems);
  const from = stand.tip ?? stand.taken;
  const isMoved = await withAdoptedPack(incoming.gitDir, commonDir, () => moveBranch(attempt, stand, tip));
  return isMoved ? { outcome: 'taken', from, to: tip, commits: commits.length } : 'moved';
}

const refuseApart = (branch: string): TakeBackResult => ({
  outcome: 'refused',
  problems: [`the branch ${branch} has commits that were made outside and are not in it inside`],
  unmerged: `origin/${branch}`,
});

/** What was there last comes from inside and may be rewritten there; what was added since is the user's. */
async function containsOutside(
  { git }: Attempt,
  { options }: IncomingRepository,
  { tip, taken }: OutsideStand,
  newTip: string,
): Promise<boolean> {
  if (tip === null || tip === taken) return true;
  return git.succeeds(['merge-base', '--is-ancestor', tip, newTip], options);
}

async function moveBranch(attempt: Attempt, stand: OutsideStand, tip: string): Promise<boolean> {
  const { git, commonDir, workspaceId, branch } = attempt;
  const changes = [
    { ref: `refs/heads/${branch}`, from: stand.tip, to: tip },
    { ref: takenRef(workspaceId), from: stand.pin, to: tip },
  ];
  try {
    await updateRefs(git, { gitDir: commonDir }, changes, 'carrel: taken back');
    return true;
  } catch (error) {
    if (isCarrelError(error, 'REF_MOVED')) return false;
    throw error;
  }
}
