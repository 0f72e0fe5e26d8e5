import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';

interface RefillOptions extends CommonOptions {
  readonly adopted?: string;
}

/** `carrel up` starts this in the background and does not wait for it. */
export function define(command: Command, session: Session): void {
  command
    .option('--adopted <slot>', 'the slot that has become a workspace')
    .action(async (options: RefillOptions) => {
      const { makeSpares } = await import('../../../../operations/pool/spare-workspace.js');
      // Recovery would start another process for the same work.
      await withApp(
        session,
        options,
        (app, repository) => makeSpares(app, repository, options.adopted),
        false,
      );
    });
}
