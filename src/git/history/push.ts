import { carrelError } from '../../domain/error/error.js';
import { nearest } from '../../domain/text/nearest-word.js';
import type { Git } from '../git.js';

export interface PushRequest {
  readonly gitDir: string;
  /** The repository's directory: a remote may be a path that is relative to it. */
  readonly root: string;
  /** Name of a remote in the repository's configuration. */
  readonly remote: string;
  /** Short name of the branch there. */
  readonly branch: string;
  readonly commit: string;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds: enough for a large history over a slow connection. */
const LIMIT_MS = 15 * 60_000;

/**
 * Pushes one commit to one branch of a remote, fast-forward only: nothing there is overwritten. No hooks, tags or
 * submodules; the user's credential helpers are used, without prompts. UNKNOWN_REMOTE, PUSH_REFUSED.
 */
export async function pushBranch(git: Git, request: PushRequest): Promise<void> {
  const { gitDir, root, remote, branch, commit, signal } = request;
  await requireRemote(git, gitDir, remote);
  const flags = ['--porcelain', '--no-verify', '--no-follow-tags', '--no-recurse-submodules'];
  const { exitCode, stdout } = await git.run(['push', ...flags, remote, `${commit}:refs/heads/${branch}`], {
    gitDir,
    cwd: root,
    answers: [0, 1],
    timeoutMs: LIMIT_MS,
    signal,
  });
  if (exitCode !== 0) throw carrelError('PUSH_REFUSED', { remote, branch, reason: readReason(stdout) });
}

/** UNKNOWN_REMOTE */
export async function requireRemote(git: Git, gitDir: string, remote: string): Promise<void> {
  const known = (await git.text(['remote'], { gitDir })).split('\n').filter(Boolean);
  if (!known.includes(remote))
    throw carrelError('UNKNOWN_REMOTE', { remote, known, nearest: nearest(remote, known) });
}

/** A line of `--porcelain` is flag, refs and summary with tabs between; `!` is the flag of a refusal. */
function readReason(stdout: Buffer): string {
  const lines = stdout.toString('utf8').split('\n');
  const refused = lines.find(line => line.startsWith('!\t'));
  return refused?.split('\t')[2] ?? 'the remote gave no reason';
}
