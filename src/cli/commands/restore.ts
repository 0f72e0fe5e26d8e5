import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../session.js';

interface RestoreOptions extends CommonOptions {
  readonly as?: string;
}

export function define(command: Command, session: Session): void {
  command
    .argument('<snapshot>', 'the id of a snapshot, or the name of a workspace for its latest')
    .option('--as <name>', 'what to call the workspace (default: what it was called)')
    .action(async (snapshot: string, options: RestoreOptions) => {
      session.interruption.follow('finish');
      const { restoreSnapshot } = await import('../../operations/restore.js');
      const { signal } = session.interruption;
      const workspace = await withApp(session, options, (app, repository) =>
        restoreSnapshot(app, { repository, snapshot, as: options.as, signal }),
      );
      answer(session, options, workspace, ({ path }) => path);
    });
}
