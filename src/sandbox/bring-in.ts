import { isCarrelError } from '../domain/error.js';
import { updateRefs } from '../git/refs.js';
import { INSIDE } from '../runtime/policy.js';
import type { Sandbox } from '../runtime/runtime.js';
import { hasJj } from './jj-face.js';
import type { SandboxPlace } from './place.js';
import { readPrivateHead } from './private-head.js';
import { showOutsideRefs } from './show-outside-refs.js';
import { type OutsideStand, readOutsideStand, type StandRequest, takenRef } from './taken-ref.js';

export interface BringInRequest extends StandRequest {
  readonly place: SandboxPlace;
  readonly exec: Sandbox['exec'];
  readonly signal?: AbortSignal | undefined;
}

export type BringInResult =
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'brought'; readonly from: string; readonly to: string }
  /** Both sides have commits of their own; what is outside is seen inside as `origin/<branch>`, to be merged there. */
  | { readonly outcome: 'apart'; readonly tip: string };

/**
 * Shows inside what happened outside: the repository's branches as they are now, and commits that the user made on the
 * workspace's own branch. All of it is done by git inside, which is the only one that may run on a directory that the
 * agent writes. When the agent has gone on meanwhile, nothing of it is moved.
 */
export async function bringIn(request: BringInRequest): Promise<BringInResult> {
  await showOutsideRefs(request);
  const stand = await readOutsideStand(request);
  if (stand.tip === null || stand.tip === stand.taken) return { outcome: 'unchanged' };
  const head = await readPrivateHead(request.place.gitDir, request.branch);
  if (head.commit === stand.tip) return { outcome: 'unchanged' };
  const isMoved = head.commit === stand.taken && (await moveInside(request, stand.taken, stand.tip));
  if (isMoved) {
    await pinTaken(request, stand, stand.tip);
    return { outcome: 'brought', from: stand.taken, to: stand.tip };
  }
  // Another command may have done it in the same moment.
  const later = await readPrivateHead(request.place.gitDir, request.branch);
  return later.commit === stand.tip ? { outcome: 'unchanged' } : { outcome: 'apart', tip: stand.tip };
}

/**
 * The index is locked as git locks it, for which another command may have to be waited for, and takes its place after the branch was moved from exactly the old commit. What is
 * staged stays staged; when that does not go with the new commits, nothing is moved. With jj ($3 is the branch then) no
 * branch is checked out, and HEAD goes along with the branch.
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

async function moveInside(request: BringInRequest, from: string, to: string): Promise<boolean> {
  const { exec, signal, place, branch } = request;
  const ofJj = (await hasJj(place)) ? branch : '';
  const result = await exec({
    command: ['sh', '-c', SCRIPT, 'carrel', from, to, ofJj],
    environment: { GIT_DIR: INSIDE.git },
    timeoutMs: TIME_MS,
    signal,
    maxOutputBytes: 64 * 1024,
  });
  return result.exitCode === 0;
}

const TIME_MS = 60_000;

/** That somebody else has moved the pin meanwhile is well: it is where they took or brought commits. */
async function pinTaken({ git, commonDir, workspaceId }: BringInRequest, { pin }: OutsideStand, tip: string) {
  try {
    await updateRefs(git, { gitDir: commonDir }, [{ ref: takenRef(workspaceId), from: pin, to: tip }]);
  } catch (error) {
    if (!isCarrelError(error, 'REF_MOVED')) throw error;
  }
}
