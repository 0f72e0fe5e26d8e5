import type { Command } from 'commander';
import { type CarryOutOptions, carryOut } from '../../carry-out.js';
import { TaskArgument } from '../../command.js';
import { type Session, withApp } from '../../session.js';

export function define(command: Command, session: Session): void {
  command
    .addArgument(new TaskArgument())
    .option('--detach', 'work on it in the background and print its id')
    .option('--verbose', 'tell what the agents print, too')
    .action(async (id: string, options: CarryOutOptions) => {
      session.interruption.follow('finish');
      const { retryTask } = await import('../../../task/retry-task.js');
      await withApp(session, options, async app =>
        carryOut(session, app, await retryTask(app, { id }), options),
      );
    });
}
