import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';

/** `carrel down` starts this in the background for a workspace with many files, and does not wait for it. */
export function define(command: Command, session: Session): void {
  command
    .argument('<id...>', 'the snapshots that the files belong to')
    .action(async (ids: string[], options: CommonOptions) => {
      const { removeHandedOver } = await import('../../../../operations/remains/schedule-remains.js');
      // Recovery would start another process for the same work.
      await withApp(session, options, app => removeHandedOver(app, ids), false);
    });
}
