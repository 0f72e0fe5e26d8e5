import type { CommandResult } from '../../domain/command/command.js';
import { carrelError } from '../../domain/error/error.js';
import type { Task } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import { findForgeProgram, runForgeProgram } from '../forge/forge-program.js';
import { pullRequestText } from './pull-request-text.js';

/** GH_MISSING */
export function requireGh(context: Pick<Context, 'places' | 'environment'>): string {
  const gh = findForgeProgram(context, 'gh');
  if (gh === undefined) throw carrelError('GH_MISSING', {});
  return gh;
}

export interface PullRequestOrder {
  /** Path of the program. */
  readonly gh: string;
  readonly branch: string;
  /** The branch to merge into; defaults to the repository's default branch. */
  readonly base: string | undefined;
  readonly draft: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The URL of the pull request for a pushed branch: the open one, or a new one. PULL_REQUEST_FAILED */
export async function openPullRequest(
  context: Pick<Context, 'places' | 'environment'>,
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

/** Publishing again adds commits to the open pull request. */
async function findOpen(
  context: Pick<Context, 'places' | 'environment'>,
  task: Task,
  order: PullRequestOrder,
): Promise<string | undefined> {
  const view = ['pr', 'view', order.branch, '--json', 'url,state'];
  const { exitCode, stdout } = await runGh(context, task, order, view);
  if (exitCode !== 0) return undefined;
  try {
    const { url, state } = JSON.parse(stdout.toString('utf8')) as { url?: unknown; state?: unknown };
    return state === 'OPEN' && typeof url === 'string' ? url : undefined;
  } catch {
    // For any other answer, gh creates one, and reports what is wrong.
    return undefined;
  }
}

/** Runs in the repository, whose remotes gh uses. */
const runGh = (
  context: Pick<Context, 'places' | 'environment'>,
  { repository }: Task,
  { gh, signal }: PullRequestOrder,
  args: readonly string[],
  stdin = '',
): Promise<CommandResult> => runForgeProgram(context, { program: gh, args, repository, stdin, signal });

/** gh prints the URL on a separate line, after other output. */
function readAddress(stdout: Buffer): string | null {
  const lines = stdout.toString('utf8').split('\n');
  return lines.findLast(line => /^https?:\/\/\S+$/.test(line.trim()))?.trim() ?? null;
}
