import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { formatDraining } from '../../views/workspace/pool-change.js';

export function define(command: Command, session: Session): void {
  command
    .addHelpText(
      'after',
      '\nA snapshot is taken of work that a lease left behind. List snapshots with: carrel snapshots',
    )
    .action(async (options: CommonOptions) => {
      session.interruption.follow('finish');
      const { drainPool } = await import('../../../../operations/pool/manage-pool.js');
      const result = await withApp(session, options, (app, repository) => drainPool(app, { repository }));
      session.output.narrate(formatDraining(result));
      if (options.json) session.output.json(result);
    });
}
