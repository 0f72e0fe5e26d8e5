import type { Command } from 'commander';
import { chooseOne, WorkspaceArgument } from '../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../session.js';
import { formatLanding } from '../views/landing.js';

interface LandOptions extends CommonOptions {
  readonly into?: string;
  readonly squash?: boolean;
  readonly rebase?: boolean;
  readonly merge?: boolean;
  readonly message?: string;
  readonly keep?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(new WorkspaceArgument('<name>'))
    .option('--into <branch>', 'the branch to land on (default: the one it was made from)')
    .option('--squash', 'land everything as one commit')
    .option('--rebase', 'land the commits one by one on top of the branch')
    .option('--merge', 'land with a merge commit')
    .option('-m, --message <text>', 'commit what is uncommitted first, and use this as the message')
    .option('--keep', 'keep the workspace afterwards')
    .action(async (name: string, options: LandOptions) => {
      session.interruption.follow('finish');
      const strategy = chooseOne(options, { squash: '--squash', rebase: '--rebase', merge: '--merge' });
      const { landWorkspace } = await import('../../operations/land.js');
      const { into, message, keep } = options;
      const result = await withApp(session, options, (app, repository) =>
        landWorkspace(app, {
          repository,
          name,
          into,
          strategy,
          message,
          keep,
          signal: session.interruption.signal,
        }),
      );
      for (const warning of result.warnings) session.output.narrate(`warning: ${warning}`);
      session.output.narrate(formatLanding(result));
      answer(session, options, result, ({ after }) => after);
    });
}
