import type { StoryReport, StoryResult } from '../domain/story/story-report.js';

/** How a story did in the second run, seen from the first. */
export type StoryChange = 'fixed' | 'broken' | 'passed' | 'failed' | 'added' | 'missing';

export interface ComparedStory {
  readonly name: string;
  readonly change: StoryChange;
  /** Null where the run has no such story. */
  readonly before: ComparedResult | null;
  readonly after: ComparedResult | null;
}

type ComparedResult = Pick<StoryResult, 'passed' | 'durationMs' | 'failure' | 'worktreePath' | 'branch'> & {
  /** The types of the expectations that were not met. */
  readonly unmet: readonly string[];
};

type RunFacts = Pick<StoryReport, 'id' | 'startedAt' | 'passed' | 'failed'>;

export interface StoryComparison {
  readonly before: RunFacts;
  readonly after: RunFacts;
  /** How many stories changed in each way. */
  readonly totals: Readonly<Record<StoryChange, number>>;
  /** What got worse comes first. */
  readonly stories: readonly ComparedStory[];
}

const ORDER: readonly StoryChange[] = ['broken', 'fixed', 'failed', 'added', 'missing', 'passed'];

/** Compares two runs story by story; a story is known by its name. */
export function compareStoryRuns(before: StoryReport, after: StoryReport): StoryComparison {
  const names = [...new Set([...before.stories, ...after.stories].map(({ name }) => name))];
  const stories = names
    .map(name => compareStory(name, find(before, name), find(after, name)))
    .toSorted((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change));
  const count = (change: StoryChange) => stories.filter(story => story.change === change).length;
  return {
    before: factsOf(before),
    after: factsOf(after),
    totals: {
      fixed: count('fixed'),
      broken: count('broken'),
      passed: count('passed'),
      failed: count('failed'),
      added: count('added'),
      missing: count('missing'),
    },
    stories,
  };
}

const find = ({ stories }: StoryReport, name: string): StoryResult | undefined =>
  stories.find(story => story.name === name);

function compareStory(
  name: string,
  before: StoryResult | undefined,
  after: StoryResult | undefined,
): ComparedStory {
  return {
    name,
    change: changeOf(before?.passed, after?.passed),
    before: before ? resultOf(before) : null,
    after: after ? resultOf(after) : null,
  };
}

function changeOf(before: boolean | undefined, after: boolean | undefined): StoryChange {
  if (before === undefined) return 'added';
  if (after === undefined) return 'missing';
  if (before === after) return after ? 'passed' : 'failed';
  return after ? 'fixed' : 'broken';
}

const resultOf = (story: StoryResult): ComparedResult => ({
  passed: story.passed,
  durationMs: story.durationMs,
  failure: story.failure,
  unmet: story.expectations.filter(({ passed }) => !passed).map(({ type }) => type),
  worktreePath: story.worktreePath,
  branch: story.branch,
});

const factsOf = ({ id, startedAt, passed, failed }: StoryReport): RunFacts => ({
  ...(id !== undefined && { id }),
  startedAt,
  passed,
  failed,
});
