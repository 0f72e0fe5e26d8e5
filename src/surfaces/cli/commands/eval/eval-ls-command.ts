import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { formatRunTable } from '../../views/eval/eval-table.js';

export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    const { listRuns } = await import('../../../../batch/record/find-run.js');
    const runs = await withApp(session, options, app => listRuns(app));
    if (runs.length === 0 && !options.json)
      return session.output.narrate(
        'there are no batch runs; start one with: carrel eval run --dataset golden',
      );
    answer(session, options, runs, list => formatRunTable(list, Date.now()));
  });
}
