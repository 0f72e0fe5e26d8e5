import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { formatStories } from '../../views/task/story-table.js';

export function define(command: Command, session: Session): void {
  command
    .argument('[run]', 'id of the run, the beginning of it, the path of a report file, or latest', 'latest')
    .action(async (run: string, options: CommonOptions) => {
      const { findStoryRun } = await import('../../../../story/story-history.js');
      const report = await withApp(session, options, app => findStoryRun(app, run));
      answer(session, options, report, value => formatStories(value, session.output.answerColors));
      const { id, startedAt, server, passed, failed } = report;
      session.output.narrate(
        `${id ?? run}, started ${startedAt} on ${server}: ${passed} passed, ${failed} failed`,
      );
    });
}
