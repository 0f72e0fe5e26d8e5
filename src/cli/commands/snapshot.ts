import type { Command } from 'commander';
import { WorkspaceArgument } from '../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../session.js';

interface SnapshotOptions extends CommonOptions {
  readonly message?: string;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(new WorkspaceArgument('<name>'))
    .option('-m, --message <text>', 'what to remember it by')
    .action(async (name: string, options: SnapshotOptions) => {
      session.interruption.follow('finish');
      const { snapshotWorkspace } = await import('../../operations/snapshot.js');
      const snapshot = await withApp(session, options, (app, repository) =>
        snapshotWorkspace(app, { repository, name, message: options.message }),
      );
      answer(session, options, snapshot, ({ id }) => id);
      for (const { path, reason } of snapshot.omitted)
        session.output.narrate(`left out: ${path} (${reason})`);
    });
}
