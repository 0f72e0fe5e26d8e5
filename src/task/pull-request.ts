import { carrelError } from '../domain/error.js';
import type { Task } from '../domain/task.js';
import { commandEnvironment, trustedPath } from '../exec/environment.js';
import { findProgramIn } from '../exec/find-program.js';
import { type RunResult, runProcess } from '../exec/run.js';
import type { Context } from '../operations/context.js';
import { pullRequestText } from './pull-request-text.js';

/** The program gh of the user's, never one that an agent could have written. GH_MISSING */
export function requireGh(context: Context): string {
  const gh = findProgramIn(context.environment.PATH ?? '', 'gh', untrusted(context));
  if (gh === undefined) throw carrelError('GH_MISSING', {});
  return gh;
}

const untrusted = ({ places }: Context): string[] => [places.cacheDir, places.stateDir];

export interface PullRequestOrder {
  /** Path of the program. */
  readonly gh: string;
  readonly branch: string;
  /** The branch to merge into; gh takes the repository's default without. */
  readonly base: string | undefined;
  readonly draft: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The address of the pull request for a branch that was pushed: the open one, or a new one. PULL_REQUEST_FAILED */
export async function openPullRequest(
  context: Context,
  task: Task,
  order: PullRequestOrder,
): Promise<string | null> {
  const present = await findOpen(context, task, order);
  if (present !== undefined) return present;
  const { branch, base, draft } = order;
  const { title, body } = pullRequestText(task);
  const target = [...(base === undefined ? [] : ['--base', base]), ...(draft ? ['--draft'] : [])];
  const create = ['pr', 'create', '--head', branch, ...target, '--title', title, '--body-file', '-'];
  const result = await runGh(context, task, order, create, body);
  if (result.exitCode === 0) return readAddress(result.stdout);
  order.signal?.throwIfAborted();
  const output = result.stderr.toString('utf8').trim().slice(-2000);
  throw carrelError('PULL_REQUEST_FAILED', { branch, exitCode: result.exitCode, output });
}

/** Publishing again adds commits to the pull request that there is. */
async function findOpen(context: Context, task: Task, order: PullRequestOrder): Promise<string | undefined> {
  const view = ['pr', 'view', order.branch, '--json', 'url,state'];
  const { exitCode, stdout } = await runGh(context, task, order, view);
  if (exitCode !== 0) return undefined;
  try {
    const { url, state } = JSON.parse(stdout.toString('utf8')) as { url?: unknown; state?: unknown };
    return state === 'OPEN' && typeof url === 'string' ? url : undefined;
  } catch {
    // A gh that answers otherwise is asked to make one, and says what is wrong.
    return undefined;
  }
}

const LIMIT_MS = 2 * 60_000;

/** In the repository, from whose remotes gh knows where to. It asks nobody. */
function runGh(
  context: Context,
  { repository }: Task,
  { gh, signal }: PullRequestOrder,
  args: readonly string[],
  stdin = '',
): Promise<RunResult> {
  const PATH = trustedPath(context.environment.PATH ?? '', untrusted(context));
  const quiet = {
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    GIT_TERMINAL_PROMPT: '0',
    NO_COLOR: '1',
  };
  const env = commandEnvironment(context.environment, { PATH, ...quiet });
  return runProcess({ command: gh, args, cwd: repository, env, stdin, timeoutMs: LIMIT_MS, signal });
}

/** gh prints the address on a line of its own, after what else it has to say. */
function readAddress(stdout: Buffer): string | null {
  const lines = stdout.toString('utf8').split('\n');
  return lines.findLast(line => /^https?:\/\/\S+$/.test(line.trim()))?.trim() ?? null;
}
