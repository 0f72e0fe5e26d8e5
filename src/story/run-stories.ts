import { createId } from '../domain/id.js';
import type { StoryReport, StoryResult } from '../domain/story/story-report.js';
import type { LoadedStory } from './load-stories.js';
import { runStory, type StoryOptions, type StoryServices, unsent } from './run-story.js';

export interface StoriesOptions extends StoryOptions {
  /** How many run at once. */
  readonly parallel: number;
  readonly server: string;
}

/** Runs stories in parallel, and reports on all of them, including those that did not start because of an interruption. */
export async function runStories(
  services: StoryServices,
  stories: readonly LoadedStory[],
  options: StoriesOptions,
): Promise<StoryReport & { readonly id: string }> {
  const { context, tell } = services;
  const startedAt = new Date(context.now()).toISOString();
  const results: StoryResult[] = [];
  const queue = stories.entries();
  const work = async () => {
    for (const [index, story] of queue) {
      const result = options.signal.aborted
        ? unsent(story, 'it was not started because of an interruption')
        : await runStory(services, story, options);
      results[index] = result;
      tell(`${story.name}: ${result.passed ? 'passed' : `failed: ${result.failure}`}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.parallel, stories.length) }, work));
  return summarize(results, {
    id: createId('story', context.ids),
    server: options.server,
    startedAt,
    endedAt: new Date(context.now()).toISOString(),
  });
}

/** A report with these results. */
export function summarize<T extends Omit<StoryReport, 'passed' | 'failed' | 'stories'>>(
  stories: readonly StoryResult[],
  facts: T,
): T & StoryReport {
  const passed = stories.filter(story => story.passed).length;
  return { ...facts, passed, failed: stories.length - passed, stories: [...stories] };
}
