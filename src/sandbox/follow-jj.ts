import { lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../domain/error.js';
import { INSIDE } from '../runtime/policy.js';
import type { Sandbox } from '../runtime/runtime.js';
import { hasJj, type JjFaceRequest } from './jj-face.js';
import type { SandboxPlace } from './place.js';

export interface FollowJjRequest extends JjFaceRequest {
  readonly branch: string;
  readonly exec: Sandbox['exec'];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Before commits are taken back, when HEAD or jj have moved since the last time. That it fails is no reason for anything:
 * what is inside stays there.
 */
export async function followJj({ place, workTree, branch, exec, signal }: FollowJjRequest): Promise<void> {
  if (!(await hasJj(place))) return;
  const marks = await readMarks(place);
  const file = join(place.root, 'followed-jj');
  if ((await readFile(file, 'utf8').catch(ignoreMissing)) === marks) return;
  const { exitCode } = await exec({
    command: ['sh', '-c', FOLLOW, 'carrel', workTree, branch],
    environment: { GIT_DIR: INSIDE.git },
    timeoutMs: TIME_MS,
    signal,
    maxOutputBytes: 64 * 1024,
  });
  if (exitCode === 0) await writeFile(file, marks);
}

/** Both are replaced by a rename with every change: two looks, against 60 ms of a sandbox with git and jj in it. */
async function readMarks({ gitDir, jjDir }: SandboxPlace): Promise<string> {
  const places = [join(gitDir, 'HEAD'), join(jjDir, 'repo', 'op_heads', 'heads')];
  const infos = await Promise.all(places.map(path => lstat(path, { bigint: true }).catch(() => undefined)));
  return infos.map(info => `${info?.ino} ${info?.mtimeNs}`).join('\n');
}

/**
 * With jj no branch is checked out: HEAD is what the working-copy commit stands on, and bookmarks stay behind. What was
 * committed on top of the workspace's own is taken for its work, by jj or by git; elsewhere it stays where it is. Commits
 * that are on neither get a ref each, by which those who would remove the workspace know of them.
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
