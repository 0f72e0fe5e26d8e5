import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../session.js';
import { formatDraining } from '../../views/pool-change.js';

export function define(command: Command, session: Session): void {
  command
    .addHelpText('after', '\nWork that a lease left behind is snapshotted first: carrel snapshots lists it.')
    .action(async (options: CommonOptions) => {
      session.interruption.follow('finish');
      const { drainPool } = await import('../../../operations/pool.js');
      const result = await withApp(session, options, (app, repository) => drainPool(app, { repository }));
      session.output.narrate(formatDraining(result));
      if (options.json) session.output.json(result);
    });
}
