import { createId } from '../domain/id.js';
import type { DeveloperWorkflow, WorkflowRequest } from '../domain/story/developer-workflow.js';
import type { ExpectationResult, StoryResult } from '../domain/story/story-report.js';
import type { Context } from '../operations/context.js';
import type { CarrelClient } from '../surfaces/client/carrel-client.js';
import { ProblemError, UnreachableError } from '../surfaces/client/problem-error.js';
import { untilAnswered } from '../surfaces/client/until-answered.js';
import { checkExpectation } from './check-expectation.js';
import { isEverythingCommitted, requestRemoval } from './clean-up-story.js';
import { followWorkflow, type WorkflowEnding } from './follow-workflow.js';
import type { LoadedStory } from './load-stories.js';
import { openWorktree } from './story-worktree.js';

export interface StoryServices {
  readonly client: CarrelClient;
  readonly context: Context;
  /** Called with progress lines. */
  readonly tell: (line: string) => void;
}

export interface StoryOptions {
  /** Whether to keep the worktree even if all expectations are met. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

/**
 * Runs a story on a server, checks the expectations in its worktree, and requests the removal of the worktree when they
 * are met. Failures are results, not errors.
 */
export async function runStory(
  services: StoryServices,
  story: LoadedStory,
  options: StoryOptions,
): Promise<StoryResult> {
  const { context } = services;
  const startedAt = context.now();
  const progress: Progress = { result: unsent(story) };
  try {
    await submitAndCheck(services, story, options, progress);
  } catch (error) {
    if (!(error instanceof ProblemError || error instanceof UnreachableError)) throw error;
    const hint = error instanceof ProblemError ? `; ${error.hint}` : '';
    note(progress, { passed: false, failure: `${error.message}${hint}` });
  }
  const durationMs = Math.max(0, Math.round(context.now() - startedAt));
  return { ...progress.result, durationMs };
}

/** The result of a story that was never sent. */
export const unsent = ({ name, file }: LoadedStory, failure: string | null = null): StoryResult => ({
  name,
  file,
  workflowId: null,
  status: null,
  passed: false,
  expectations: [],
  worktreePath: null,
  worktreeKept: false,
  branch: null,
  durationMs: 0,
  failure,
  warnings: [],
});

/** The progress so far, so that the report has it even after a failure. */
interface Progress {
  result: StoryResult;
}

function note(progress: Progress, news: Partial<StoryResult>): void {
  progress.result = { ...progress.result, ...news };
}

async function submitAndCheck(
  services: StoryServices,
  story: LoadedStory,
  options: StoryOptions,
  progress: Progress,
): Promise<void> {
  const { client, context, tell } = services;
  const { signal } = options;
  const deadline = AbortSignal.timeout(story.timeoutSeconds * 1000);
  // An interruption does not abort this request: an accepted workflow has to be known to be cancelled.
  const idempotencyKey = createId('op', context.ids);
  const sent = await untilAnswered(() => client.developer.submit(toRequest(story), { idempotencyKey }));
  note(progress, describe(sent));
  tell(`${story.name}: ${sent.id} was accepted`);
  const ending = await followWorkflow(client, sent.id, { deadline, signal });
  const workflow = await untilAnswered(() => client.developer.show(sent.id));
  note(progress, describe(workflow));
  if (ending === 'interrupted') return note(progress, { failure: 'it was interrupted' });
  if (workflow.status !== 'completed') return note(progress, { failure: explain(workflow, story, ending) });
  const wasClean = await isEverythingCommitted(client, workflow);
  const check = await checkAll(services, story, workflow, options);
  note(progress, check);
  if (check.passed && !options.keep)
    note(progress, await requestRemoval(client, workflow, { wasTidy: wasClean }));
}

/** The server's own limit applies when this process is gone and cannot cancel it. */
const GRACE_SECONDS = 60;

function toRequest(story: LoadedStory): WorkflowRequest {
  const { story: text, repository, workflow, agent, isolation, strict, base } = story;
  const timeoutSeconds = story.timeoutSeconds + GRACE_SECONDS;
  const options = { workflow, agent, isolation, strict, base, timeoutSeconds };
  return { story: text, targetRepository: repository, keep: true, ...options };
}

const describe = ({
  id,
  status,
  worktreePath,
  worktreeKept,
  task,
}: DeveloperWorkflow): Partial<StoryResult> => ({
  workflowId: id,
  status,
  worktreePath,
  worktreeKept,
  branch: task.branch,
});

function explain(
  { status, task }: DeveloperWorkflow,
  { timeoutSeconds }: LoadedStory,
  ending: WorkflowEnding,
): string {
  if (ending === 'timed-out') return `it did not finish within ${timeoutSeconds} s`;
  if (ending === 'forsaken') return 'its process died, and the server did not resume it';
  return task.failure?.message ?? `the workflow is ${status}; expected completed`;
}

async function checkAll(
  { context, tell }: StoryServices,
  { name, expectations, timeoutSeconds }: LoadedStory,
  workflow: DeveloperWorkflow,
  { signal }: StoryOptions,
): Promise<Pick<StoryResult, 'expectations' | 'passed' | 'failure'>> {
  const worktree = await openWorktree(context, workflow);
  if ('problem' in worktree) return { expectations: [], passed: false, failure: worktree.problem };
  const results: ExpectationResult[] = [];
  for (const expectation of expectations) {
    if (signal.aborted) break;
    tell(`${name}: checking ${expectation.type}`);
    results.push(await checkExpectation(worktree, expectation, { timeoutMs: timeoutSeconds * 1000, signal }));
  }
  if (signal.aborted) return { expectations: results, passed: false, failure: 'it was interrupted' };
  const red = results.filter(result => !result.passed);
  const failure = red.length === 0 ? null : `expectations not met: ${red.map(({ type }) => type).join(', ')}`;
  return { expectations: results, passed: red.length === 0, failure };
}
