import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { formatStoryRuns } from '../../views/task/story-history.js';

export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    const { listStoryRuns } = await import('../../../../story/story-history.js');
    const runs = await withApp(session, options, app => listStoryRuns(app));
    if (runs.length === 0 && !options.json)
      return session.output.narrate('there are no story runs; start one with: carrel story run DIRECTORY');
    const facts = runs.map(({ stories: _, ...run }) => run);
    answer(session, options, facts, () => formatStoryRuns(runs, Date.now()));
  });
}
