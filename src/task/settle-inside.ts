import { carrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { findOperationInProgress } from '../git/operation-in-progress.js';
import { readRef } from '../git/refs.js';
import type { WorkTreePlace } from '../git/work-tree/place.js';
import type { Context } from '../operations/context.js';
import { runInside } from '../operations/run-inside.js';
import { requireCommitsBack } from '../operations/take-commits-back.js';
import { hasJj } from '../sandbox/jj-face.js';
import { failInProgress, failLeft, failUndecided } from './settle-failure.js';
import type { OnBranch, SettleRequest } from './settle-work.js';

/**
 * For a worktree with a sandbox: outside, nobody runs git on its files, so the git inside does all of it, without the
 * hooks that the agent may have made; then its commits are taken back.
 */
export async function settleInside(
  context: Context,
  record: WorkspaceRecord,
  { commonDir, gitDir }: WorkTreePlace,
  request: SettleRequest,
): Promise<OnBranch> {
  const place = (await context.sandboxes()).placeOf(record.id);
  const operation = await findOperationInProgress(record.sandbox?.git === 'private' ? place.gitDir : gitDir);
  if (operation) {
    await runScript(context, record, [UNLOCK], request.signal);
    return failInProgress(record, operation);
  }
  const told = await commitInside(context, record, await hasJj(place), request);
  const left = told.find(line => line.startsWith('left '))?.slice('left '.length);
  if (told.includes('apart')) return failLeft(record, left ?? 'a detached HEAD');
  const undecided = told.filter(line => line.startsWith('undecided '));
  if (undecided.length > 0) return failUndecided(undecided.map(line => line.slice('undecided '.length)));
  await requireCommitsBack(context, record, request.signal);
  const commit = (await readRef(context.git, { gitDir: commonDir }, `refs/heads/${record.branch}`)) ?? null;
  const warnings =
    left === undefined
      ? []
      : [`the agent went from ${record.branch} to ${left} inside; ${record.branch} was brought there`];
  return { kind: 'on-branch', commit, committed: told.includes('committed'), warnings };
}

/** A lock is left by a git that was killed: nothing else runs in there now. */
const UNLOCK = `lock="$(git rev-parse --git-dir)/index.lock" || exit 1
for attempt in 1 2 3 4 5 6 7 8 9 10; do [ -e "$lock" ] || break; sleep 0.1; done
rm -f "$lock"`;

/**
 * Tells by lines: `left REF`, `apart`, `undecided PATH`, `committed`. With jj inside ($3) no branch is checked out, and
 * taking back follows by itself.
 */
const SCRIPT = `own="refs/heads/$1"
export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null
export GIT_CONFIG_KEY_1=commit.gpgSign GIT_CONFIG_VALUE_1=false GIT_CONFIG_KEY_2=core.quotePath GIT_CONFIG_VALUE_2=false
${UNLOCK}
ref=$(git symbolic-ref -q HEAD) || ref='a detached HEAD'
if [ "$ref" != "$own" ] && [ -z "$3" ]; then
  printf 'left %s\\n' "\${ref#refs/heads/}"
  git rev-parse -q --verify HEAD >/dev/null || { printf 'apart\\n'; exit 0; }
  if git rev-parse -q --verify "$own" >/dev/null; then
    git merge-base --is-ancestor "$own" HEAD || { printf 'apart\\n'; exit 0; }
  fi
  git update-ref -m 'carrel: back' "$own" HEAD && git symbolic-ref -m 'carrel: back' HEAD "$own" || exit 1
fi
undecided=$(git diff --name-only --diff-filter=U
git ls-files --others --exclude-standard | while IFS= read -r path; do
  case $path in */ | */\\") printf '%s\\n' "$path" ;; esac
done)
if [ -n "$undecided" ]; then
  printf '%s\\n' "$undecided" | while IFS= read -r path; do printf 'undecided %s\\n' "$path"; done
  exit 0
fi
git add --all || exit 1
git diff --cached --quiet && exit 0
git commit --quiet --no-verify --message "$2" && printf 'committed\\n'`;

const LIMIT_MS = 5 * 60_000;
/** For the names of files; whoever makes more of them has to be told of some only. */
const MOST_BYTES = 64 * 1024;

const commitInside = (
  context: Context,
  record: WorkspaceRecord,
  usesJj: boolean,
  { message, signal }: SettleRequest,
): Promise<string[]> =>
  runScript(
    context,
    record,
    [SCRIPT, 'carrel', record.branch as string, message, usesJj ? 'jj' : ''],
    signal,
  );

/** What it printed, line by line. */
async function runScript(
  context: Context,
  record: WorkspaceRecord,
  script: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { exitCode, timedOut, stdout, stderr } = await runInside(context, record, {
    id: createId('op', context.ids),
    command: ['sh', '-c', ...script],
    workingDirectory: record.path,
    timeoutMs: LIMIT_MS,
    maxOutputBytes: MOST_BYTES,
    signal,
  });
  signal?.throwIfAborted();
  const command = 'git commit';
  if (timedOut) throw carrelError('COMMAND_TIMED_OUT', { command, limitMs: LIMIT_MS });
  if (exitCode === 0) return stdout.toString('utf8').split('\n');
  throw carrelError('GIT_FAILED', { command, exitCode, stderr: stderr.toString('utf8').slice(-2000) });
}
