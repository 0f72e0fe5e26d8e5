import { carrelError } from '../domain/error.js';
import { nearest } from '../domain/nearest.js';
import type { Git } from './git.js';

export interface PushRequest {
  readonly gitDir: string;
  /** Name of a remote in the repository's configuration. */
  readonly remote: string;
  /** Short name of the branch there. */
  readonly branch: string;
  readonly commit: string;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds: a large history over a slow line. */
const LIMIT_MS = 15 * 60_000;

/**
 * Brings one commit to one branch of a remote, forward only: nothing there is overwritten. No hooks of the repository,
 * no tags, no submodules; the user's credential helpers answer, and nobody is asked. UNKNOWN_REMOTE, PUSH_REFUSED.
 */
export async function pushBranch(git: Git, request: PushRequest): Promise<void> {
  const { gitDir, remote, branch, commit, signal } = request;
  await requireRemote(git, gitDir, remote);
  const flags = ['--porcelain', '--no-verify', '--no-follow-tags', '--no-recurse-submodules'];
  const { exitCode, stdout } = await git.run(['push', ...flags, remote, `${commit}:refs/heads/${branch}`], {
    gitDir,
    answers: [0, 1],
    timeoutMs: LIMIT_MS,
    signal,
  });
  if (exitCode !== 0) throw carrelError('PUSH_REFUSED', { remote, branch, reason: readReason(stdout) });
}

async function requireRemote(git: Git, gitDir: string, remote: string): Promise<void> {
  const known = (await git.text(['remote'], { gitDir })).split('\n').filter(Boolean);
  if (!known.includes(remote))
    throw carrelError('UNKNOWN_REMOTE', { remote, known, nearest: nearest(remote, known) });
}

/** A line of `--porcelain` is flag, refs and summary with tabs between; `!` is the flag of a refusal. */
function readReason(stdout: Buffer): string {
  const lines = stdout.toString('utf8').split('\n');
  const refused = lines.find(line => line.startsWith('!\t'));
  return refused?.split('\t')[2] ?? 'no reason was given';
}
