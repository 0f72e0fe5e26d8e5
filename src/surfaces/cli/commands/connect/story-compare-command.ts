import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { formatStoryComparison } from '../../views/task/story-history.js';

export function define(command: Command, session: Session): void {
  command
    .argument('<before>', 'id of the first run, the beginning of it, or the path of a report file')
    .argument('[after]', 'the run to compare it with', 'latest')
    .action(async (before: string, after: string, options: CommonOptions) => {
      const [{ findStoryRun }, { compareStoryRuns }] = await Promise.all([
        import('../../../../story/story-history.js'),
        import('../../../../story/compare-story-runs.js'),
      ]);
      const comparison = await withApp(session, options, async app =>
        compareStoryRuns(await findStoryRun(app, before), await findStoryRun(app, after)),
      );
      answer(session, options, comparison, value =>
        formatStoryComparison(value, session.output.answerColors),
      );
    });
}
