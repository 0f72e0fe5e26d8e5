import type { CarrelClient } from '../client/carrel-client.js';
import { ProblemError, UnreachableError } from '../client/problem-error.js';
import { untilAnswered } from '../client/until-answered.js';
import type { DeveloperWorkflow, WorkflowRequest } from '../domain/developer-workflow.js';
import { createId } from '../domain/id.js';
import type { ExpectationResult, StoryResult } from '../domain/story-report.js';
import type { Context } from '../operations/context.js';
import { checkExpectation } from './check-expectation.js';
import { followWorkflow, type WorkflowEnding } from './follow-workflow.js';
import type { LoadedStory } from './load-stories.js';
import { openDesk } from './story-desk.js';
import { isTidy, tidyUp } from './tidy-up.js';

export interface StoryServices {
  readonly client: CarrelClient;
  readonly context: Context;
  /** Gets a line about what happens. */
  readonly tell: (line: string) => void;
}

export interface StoryOptions {
  /** Whether the worktree stays also when all is as expected. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

/**
 * Has a server carry a story out, looks in its worktree whether what is expected is true, and has the worktree removed
 * when it is. What goes wrong on the way is a result.
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
    await carryThrough(services, story, options, progress);
  } catch (error) {
    if (!(error instanceof ProblemError || error instanceof UnreachableError)) throw error;
    const hint = error instanceof ProblemError ? `; ${error.hint}` : '';
    note(progress, { passed: false, failure: `${error.message}${hint}` });
  }
  const durationMs = Math.max(0, Math.round(context.now() - startedAt));
  return { ...progress.result, durationMs };
}

/** As a story reads that was never sent. */
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

/** What is known so far, so that a report has it whatever happens next. */
interface Progress {
  result: StoryResult;
}

function note(progress: Progress, news: Partial<StoryResult>): void {
  progress.result = { ...progress.result, ...news };
}

async function carryThrough(
  services: StoryServices,
  story: LoadedStory,
  options: StoryOptions,
  progress: Progress,
): Promise<void> {
  const { client, context, tell } = services;
  const { signal } = options;
  const deadline = AbortSignal.timeout(story.timeoutSeconds * 1000);
  // Not ended by an interruption: what was accepted has to be known, or nobody could cancel it.
  const idempotencyKey = createId('op', context.ids);
  const sent = await untilAnswered(() => client.developer.submit(toRequest(story), { idempotencyKey }));
  note(progress, describe(sent));
  tell(`${story.name}: ${sent.id} was accepted`);
  const ending = await followWorkflow(client, sent.id, { deadline, signal });
  const workflow = await untilAnswered(() => client.developer.show(sent.id));
  note(progress, describe(workflow));
  if (ending === 'interrupted') return note(progress, { failure: 'it was interrupted' });
  if (workflow.status !== 'completed') return note(progress, { failure: explain(workflow, story, ending) });
  const wasTidy = await isTidy(client, workflow);
  const check = await checkAll(services, story, workflow, options);
  note(progress, check);
  if (check.passed && !options.keep) note(progress, await tidyUp(client, workflow, { wasTidy }));
}

/** The server's own limit is for the case that nobody is left here to cancel it. */
const GRACE_SECONDS = 60;

function toRequest(story: LoadedStory): WorkflowRequest {
  const { story: text, repository, workflow, agent, isolation, strict, base } = story;
  const timeoutSeconds = story.timeoutSeconds + GRACE_SECONDS;
  const wishes = { workflow, agent, isolation, strict, base, timeoutSeconds };
  return { story: text, targetRepository: repository, keep: true, ...wishes };
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
  if (ending === 'timed-out') return `it was not done within ${timeoutSeconds} s`;
  if (ending === 'forsaken') return 'its process died, and the server did not go on with it';
  return task.failure?.message ?? `the workflow is ${status}; expected completed`;
}

async function checkAll(
  { context, tell }: StoryServices,
  { name, expectations, timeoutSeconds }: LoadedStory,
  workflow: DeveloperWorkflow,
  { signal }: StoryOptions,
): Promise<Pick<StoryResult, 'expectations' | 'passed' | 'failure'>> {
  const desk = await openDesk(context, workflow);
  if ('problem' in desk) return { expectations: [], passed: false, failure: desk.problem };
  const results: ExpectationResult[] = [];
  for (const expectation of expectations) {
    if (signal.aborted) break;
    tell(`${name}: checks ${expectation.type}`);
    results.push(await checkExpectation(desk, expectation, { timeoutMs: timeoutSeconds * 1000, signal }));
  }
  if (signal.aborted) return { expectations: results, passed: false, failure: 'it was interrupted' };
  const red = results.filter(result => !result.passed);
  const failure = red.length === 0 ? null : `not as expected: ${red.map(({ type }) => type).join(', ')}`;
  return { expectations: results, passed: red.length === 0, failure };
}
