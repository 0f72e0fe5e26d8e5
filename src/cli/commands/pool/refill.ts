import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../session.js';

interface RefillOptions extends CommonOptions {
  readonly adopted?: string;
}

/** What `carrel up` starts in the background. Whoever calls it has nothing to wait for. */
export function define(command: Command, session: Session): void {
  command
    .option('--adopted <slot>', 'the slot that has become a workspace')
    .action(async (options: RefillOptions) => {
      const { makeSpares } = await import('../../../operations/spare-desk.js');
      // Recovery would start others for what this one is here for.
      await withApp(
        session,
        options,
        (app, repository) => makeSpares(app, repository, options.adopted),
        false,
      );
    });
}
