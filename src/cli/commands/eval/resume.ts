import type { Command } from 'commander';
import { carryOutBatch, findRepositoryRoot } from '../../carry-out-batch.js';
import { RunArgument } from '../../command.js';
import { type CommonOptions, type Session, withApp } from '../../session.js';

export function define(command: Command, session: Session): void {
  command.addArgument(new RunArgument()).action(async (name: string, options: CommonOptions) => {
    session.interruption.follow('drain');
    const { reopenRun } = await import('../../../batch/reopen-run.js');
    const { drain: signal } = session.interruption;
    await withApp(session, options, async (app, repository) => {
      const repositoryRoot = await findRepositoryRoot(app, repository);
      await carryOutBatch(session, app, await reopenRun(app, name, { repositoryRoot, signal }), options);
    });
  });
}
