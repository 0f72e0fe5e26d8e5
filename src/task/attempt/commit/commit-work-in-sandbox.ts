import { carrelError } from '../../../domain/error/error.js';
import { createId } from '../../../domain/id.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { displayPath, toBytePath } from '../../../git/byte-path.js';
import { readRef } from '../../../git/refs/refs.js';
import { findOperationInProgress } from '../../../git/repository/operation-in-progress.js';
import type { WorkTreePlace } from '../../../git/work-tree-place.js';
import type { Context } from '../../../operations/context.js';
import { commitFailure } from '../../../operations/sandbox/commit-in-sandbox.js';
import { requireImportedCommits } from '../../../operations/sandbox/import-commits.js';
import { runInside } from '../../../operations/sandbox/run-in-sandbox.js';
import { hasJj } from '../../../sandbox/jj/jj-directory.js';
import { listUnchangedSetupFiles, listUntracked } from '../../../workspace/setup/setup-leftovers.js';
import { findUnreadableWork } from '../../../workspace/work/uncommittable.js';
import { failInProgress, failLeft, failUndecided } from './commit-failure.js';
import type { CommitWorkRequest, OnBranch } from './commit-work.js';

/**
 * For a worktree with a sandbox: the host runs no git on its files, so the git inside does all of it, without the
 * hooks that the agent may have created; then its commits are imported.
 */
export async function commitWorkInSandbox(
  context: Pick<Context, 'git' | 'sandboxes' | 'ids' | 'places' | 'narrate'>,
  record: WorkspaceRecord,
  workTree: WorkTreePlace,
  request: CommitWorkRequest,
): Promise<OnBranch> {
  const { commonDir, gitDir } = workTree;
  const place = (await context.sandboxes()).placeOf(record.id);
  const operation = await findOperationInProgress(record.sandbox?.git === 'private' ? place.gitDir : gitDir);
  if (operation) {
    await runScript(context, record, [UNLOCK], request.signal);
    return failInProgress(record, operation);
  }
  const left = await listLeft(context, record, workTree);
  const lines = await commitInside(context, record, { usesJj: await hasJj(place), left }, request);
  const elsewhere = lines.find(line => line.startsWith('left '))?.slice('left '.length);
  if (lines.includes('apart')) return failLeft(record, elsewhere ?? 'a detached HEAD');
  const undecided = lines.filter(line => line.startsWith('undecided '));
  if (undecided.length > 0) return failUndecided(undecided.map(line => line.slice('undecided '.length)));
  await requireImportedCommits(context, record, request.signal);
  const commit = (await readRef(context.git, { gitDir: commonDir }, `refs/heads/${record.branch}`)) ?? null;
  const unread = lines.includes('said') ? await findUnreadableWork(context.git, workTree) : new Map();
  const warnings = [
    ...(elsewhere === undefined
      ? []
      : [
          `the agent switched from ${record.branch} to ${elsewhere} inside; ${record.branch} was moved there`,
        ]),
    ...unread.values(),
  ];
  return { kind: 'on-branch', commit, committed: lines.includes('committed'), warnings };
}

/** A lock is left by a git that was killed: nothing else runs in there now. */
const UNLOCK = `lock="$(git rev-parse --git-dir)/index.lock" || exit 1
for attempt in 1 2 3 4 5 6 7 8 9 10; do [ -e "$lock" ] || break; sleep 0.1; done
rm -f "$lock"`;

/**
 * Prints lines: `left REF`, `apart`, `undecided PATH`, `said` when `git add` complained, `committed`. With jj inside ($3) no branch is checked out, and
 * the import handles it.
 */
const SCRIPT = `own="refs/heads/$1" message=$2
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
shift 3
said=$(git add --all -- ':(top)' "$@" 2>&1 >/dev/null) || { printf '%s\\n' "$said" >&2; exit 1; }
[ -z "$said" ] || printf 'said\\n'
git diff --cached --quiet && exit 0
git commit --quiet --no-verify --message "$message" && printf 'committed\\n'`;

const LIMIT_MS = 5 * 60_000;
/** Size limit for the names of files; of a longer list only the start is reported. */
const MOST_BYTES = 64 * 1024;

/** Unchanged files from setup. Arguments of a command are text, so names that are not text are committed. */
async function listLeft(
  { git, places }: Pick<Context, 'git' | 'places'>,
  record: WorkspaceRecord,
  place: WorkTreePlace,
): Promise<string[]> {
  if (record.included.length === 0) return [];
  const untracked = await listUntracked(git, place, places.temporaryRoot);
  const fromSetup = await listUnchangedSetupFiles(record, place.workTree, untracked);
  return [...fromSetup].map(displayPath).filter(path => fromSetup.has(toBytePath(path)));
}

const commitInside = (
  context: Pick<Context, 'sandboxes' | 'ids' | 'narrate'>,
  record: WorkspaceRecord,
  { usesJj, left }: { readonly usesJj: boolean; readonly left: readonly string[] },
  { message, signal }: CommitWorkRequest,
): Promise<string[]> =>
  runScript(
    context,
    record,
    [
      SCRIPT,
      'carrel',
      record.branch as string,
      message,
      usesJj ? 'jj' : '',
      ...left.map(path => `:(top,exclude,literal)${path}`),
    ],
    signal,
  );

/** What it printed, line by line. */
async function runScript(
  context: Pick<Context, 'sandboxes' | 'ids' | 'narrate'>,
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
  throw commitFailure(record, exitCode, stderr);
}
