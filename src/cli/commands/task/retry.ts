import type { Command } from 'commander';
import { type CarryOutOptions, carryOut, takerOf } from '../../carry-out.js';
import { TaskArgument } from '../../command.js';
import { addLimitOptions, type LimitOptions, readLimits } from '../../limit-options.js';
import { type Session, withApp } from '../../session.js';

export function define(command: Command, session: Session): void {
  addLimitOptions(command.addArgument(new TaskArgument()))
    .option('--detach', 'work on it in the background and print its id')
    .option('--verbose', 'tell what the agents print, too')
    .action(async (id: string, options: CarryOutOptions & LimitOptions) => {
      session.interruption.follow('finish');
      const { retryTask } = await import('../../../task/retry-task.js');
      await withApp(session, options, async app => {
        const task = await retryTask(app, { id, taker: takerOf(options), ...readLimits(options) });
        await carryOut(session, app, task, options);
      });
    });
}
