import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../session.js';

/** What `carrel down` starts in the background for a workspace with many files. Whoever calls it has nothing to wait for. */
export function define(command: Command, session: Session): void {
  command
    .argument('<id...>', 'the snapshots that the files belong to')
    .action(async (ids: string[], options: CommonOptions) => {
      const { settleHandedOver } = await import('../../operations/leave-remains.js');
      // Recovery would start others for what this one is here for.
      await withApp(session, options, app => settleHandedOver(app, ids), false);
    });
}
