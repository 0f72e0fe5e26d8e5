import { lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { INSIDE } from '../../runtime/policy.js';
import type { Sandbox } from '../../runtime/runtime.js';
import { findFailedStep, recordFailedStep } from '../failed-steps.js';
import type { SandboxPlace } from '../sandbox-place.js';
import { hasJj, type PrivateJjRequest } from './jj-directory.js';

export interface FollowJjRequest extends PrivateJjRequest {
  readonly branch: string;
  readonly run: Sandbox['run'];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs before commits are imported, when HEAD or jj have moved since the last time. A failure is ignored: the commits stay
 * inside.
 */
export async function followJj({ place, workTree, branch, run, signal }: FollowJjRequest): Promise<void> {
  if (!(await hasJj(place))) return;
  const marks = await readMarks(place);
  const file = join(place.root, 'followed-jj');
  if ((await readFile(file, 'utf8').catch(ignoreMissing)) === marks) return;
  if (await findFailedStep(place, 'follow-jj', marks)) return;
  const { exitCode, timedOut } = await run({
    command: ['sh', '-c', FOLLOW, 'carrel', workTree, branch],
    environment: { GIT_DIR: INSIDE.git },
    timeoutMs: TIME_MS,
    signal,
    maxOutputBytes: 64 * 1024,
  });
  if (exitCode === 0) await writeFile(file, marks);
  if (timedOut) await recordFailedStep(place, 'follow-jj', marks);
}

/** Both are replaced by a rename with every change: two stat calls, against 60 ms for a sandbox with git and jj. */
async function readMarks({ gitDir, jjDir }: SandboxPlace): Promise<string> {
  const places = [join(gitDir, 'HEAD'), join(jjDir, 'repo', 'op_heads', 'heads')];
  const infos = await Promise.all(places.map(path => lstat(path, { bigint: true }).catch(() => undefined)));
  return infos.map(info => `${info?.ino} ${info?.mtimeNs}`).join('\n');
}

/**
 * With jj no branch is checked out: HEAD is the parent of the working-copy commit, and bookmarks stay behind. Commits on top
 * of the workspace's branch, by jj or git, count as its work; others stay where they are. Commits on neither get a ref each,
 * so that a removal finds them.
 */
const FOLLOW = `cd "$1" && own="refs/heads/$2" && seen=refs/carrel/heads || exit 1
for state in rebase-merge rebase-apply BISECT_START; do [ -e "$GIT_DIR/$state" ] && exit 0; done
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null
git symbolic-ref -q HEAD >/dev/null || { git merge-base --is-ancestor "$own" HEAD && git update-ref "$own" HEAD; }
git for-each-ref --format='delete %(refname)' "$seen" | git update-ref --stdin
jj --ignore-working-copy --no-pager --color=never --quiet log --no-graph -T 'commit_id ++ "\\n"' \\
  -r '(visible_heads() | parents(@)) ~ @ ~ root() ~ ::remote_bookmarks()' | while read -r head; do
  git merge-base --is-ancestor "$head" "$own" || git update-ref "$seen/$head" "$head"
done`;

const TIME_MS = 60_000;
