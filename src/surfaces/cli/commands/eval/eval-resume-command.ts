import type { Command } from 'commander';
import {
  addFleetOptions,
  type BatchCommandOptions,
  findRepositoryRoot,
  runAndWatchBatch,
} from '../../actions/run-and-watch-batch.js';
import { type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

export function define(command: Command, session: Session): void {
  addFleetOptions(addFields(command, fieldsOf('eval resume'))).action(
    async (name: string, options: BatchCommandOptions) => {
      session.interruption.follow('drain');
      const { reopenRun } = await import('../../../../batch/plan/reopen-run.js');
      const { drain: signal } = session.interruption;
      await withApp(session, options, async (app, repository) => {
        const repositoryRoot = await findRepositoryRoot(app, repository);
        await runAndWatchBatch(session, app, await reopenRun(app, name, { repositoryRoot, signal }), options);
      });
    },
  );
}
