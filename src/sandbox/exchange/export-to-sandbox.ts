import { isCarrelError } from '../../domain/error/error.js';
import { updateRefs } from '../../git/refs/refs.js';
import { INSIDE } from '../../runtime/policy.js';
import type { Sandbox } from '../../runtime/runtime.js';
import { findFailedStep, recordFailedStep } from '../failed-steps.js';
import { hasJj } from '../jj/jj-directory.js';
import { readPrivateHead } from '../private-git/private-head.js';
import { showOutsideRefs } from '../private-git/show-outside-refs.js';
import type { SandboxPlace } from '../sandbox-place.js';
import {
  exchangedRef,
  type OutsideBranch,
  type OutsideBranchRequest,
  readOutsideBranch,
} from './exchanged-ref.js';

export interface ExportRequest extends OutsideBranchRequest {
  readonly place: SandboxPlace;
  readonly run: Sandbox['run'];
  readonly signal?: AbortSignal | undefined;
  /** Whether the files follow the branch outside, so that it may move inside too; they do by default. */
  readonly movesBranch?: boolean | undefined;
}

export type ExportResult =
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'exported'; readonly from: string; readonly to: string }
  /** Both sides have new commits; those from outside appear inside as `origin/<branch>`, to be merged there. */
  | { readonly outcome: 'diverged'; readonly tip: string };

/**
 * Exports changes from outside to the sandbox: the repository's current branches, and commits that the user made on the
 * workspace's branch. git inside does all of it, because only that git may run on a directory that the agent writes. When
 * the agent has new commits, its branch stays.
 */
export async function exportToSandbox(request: ExportRequest): Promise<ExportResult> {
  await showOutsideRefs(request);
  const outside = await readOutsideBranch(request);
  if (outside.tip === null || outside.tip === outside.exchanged) return { outcome: 'unchanged' };
  const head = await readPrivateHead(request.place.gitDir, request.branch);
  if (head.commit === outside.tip) return { outcome: 'unchanged' };
  const isMoved =
    request.movesBranch !== false &&
    head.commit === outside.exchanged &&
    (await moveInside(request, outside.exchanged, outside.tip));
  if (isMoved) {
    await pinExchanged(request, outside, outside.tip);
    return { outcome: 'exported', from: outside.exchanged, to: outside.tip };
  }
  // Another command may have done it at the same moment.
  const later = await readPrivateHead(request.place.gitDir, request.branch);
  return later.commit === outside.tip ? { outcome: 'unchanged' } : { outcome: 'diverged', tip: outside.tip };
}

/**
 * The index is locked as git locks it, after waiting for other commands, and replaced after the branch was moved from
 * exactly the old commit. Staged changes stay staged; when they conflict with the new commits, nothing is moved. With jj
 * ($3 is the branch then) no branch is checked out, and HEAD moves with the branch.
 */
const SCRIPT = `set -C
ref=$(git symbolic-ref -q HEAD) || [ -n "$3" ] || exit 1
locked=
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  (: >"$GIT_DIR/index.lock") 2>/dev/null && locked=yes && break
  sleep 0.1
done
[ "$locked" ] || exit 1
trap 'rm -f "$GIT_DIR/index.lock"' EXIT
cat "$GIT_DIR/index" >|"$GIT_DIR/index.lock" || exit 1
GIT_INDEX_FILE="$GIT_DIR/index.lock" git -c core.splitIndex=false read-tree -i -m "$1" "$2" || exit 1
[ -n "$ref" ] && set -- "$1" "$2" "$ref" || set -- "$1" "$2" HEAD "refs/heads/$3"
from=$1 to=$2; shift 2
for moved; do printf 'option no-deref\\nupdate %s %s %s\\n' "$moved" "$to" "$from"; done |
  git -c core.hooksPath=/dev/null update-ref -m 'carrel: commits from outside' --stdin || exit 1
mv -f "$GIT_DIR/index.lock" "$GIT_DIR/index" && trap - EXIT
git update-index -q --ignore-submodules --refresh
exit 0`;

async function moveInside(request: ExportRequest, from: string, to: string): Promise<boolean> {
  const { run, signal, place, branch } = request;
  if (await findFailedStep(place, 'move-branch', to)) return false;
  const ofJj = (await hasJj(place)) ? branch : '';
  const result = await run({
    command: ['sh', '-c', SCRIPT, 'carrel', from, to, ofJj],
    environment: { GIT_DIR: INSIDE.git },
    timeoutMs: TIME_MS,
    signal,
    maxOutputBytes: 64 * 1024,
  });
  if (result.timedOut) await recordFailedStep(place, 'move-branch', to);
  return result.exitCode === 0;
}

const TIME_MS = 60_000;

/** It is fine if another process has moved the pin: it imported or exported commits. */
async function pinExchanged(
  { git, commonDir, workspaceId }: ExportRequest,
  { pin }: OutsideBranch,
  tip: string,
) {
  try {
    await updateRefs(git, { gitDir: commonDir }, [{ ref: exchangedRef(workspaceId), from: pin, to: tip }]);
  } catch (error) {
    if (!isCarrelError(error, 'REF_MOVED')) throw error;
  }
}
