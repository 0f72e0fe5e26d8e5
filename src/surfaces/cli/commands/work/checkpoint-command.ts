import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';

/** Starts in the background after a command that changed files. No command waits for it. */
export function define(command: Command, session: Session): void {
  command.argument('<id...>', 'the workspaces').action(async (ids: string[], options: CommonOptions) => {
    const { takeCheckpoints } = await import('../../../../operations/capture/checkpoint.js');
    // Recovery is left to commands whose output the user sees.
    await withApp(session, options, app => takeCheckpoints(app, ids), false);
  });
}
