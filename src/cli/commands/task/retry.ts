import type { Command } from 'commander';
import { carrelError } from '../../../domain/error.js';
import { type CarryOutOptions, carryOut, takerOf } from '../../carry-out.js';
import { TaskArgument } from '../../command.js';
import { addLimitOptions, type LimitOptions, readLimits } from '../../limit-options.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../server-options.js';
import { type Session, withApp } from '../../session.js';

type RetryOptions = CarryOutOptions & LimitOptions & ServerOptions;

export function define(command: Command, session: Session): void {
  addServerOptions(addLimitOptions(command.addArgument(new TaskArgument())))
    .option('--detach', 'work on it in the background and print its id')
    .option('--verbose', 'tell what the agents print, too')
    .action((id: string, options: RetryOptions) => {
      session.interruption.follow('finish');
      return (asksServer(options, session) ? retryOnServer : retryHere)(id, options, session);
    });
}

async function retryHere(id: string, options: RetryOptions, session: Session): Promise<void> {
  const { retryTask } = await import('../../../task/retry-task.js');
  await withApp(session, options, async app => {
    const task = await retryTask(app, { id, taker: takerOf(options), ...readLimits(options) });
    await carryOut(session, app, task, options);
  });
}

async function retryOnServer(id: string, options: RetryOptions, session: Session): Promise<void> {
  const { timeout, costLimit: costLimitUsd, tokenLimit } = options;
  if (tokenLimit !== undefined) throw carrelError('NOT_ON_A_SERVER', { options: ['--token-limit'] });
  const timeoutSeconds = timeout === undefined ? undefined : timeout / 1000;
  const [{ withServer }, { carryOutOnServer }] = await Promise.all([
    import('../../server-connection.js'),
    import('../../carry-out-on-server.js'),
  ]);
  await withServer(session, options, async server => {
    const task = await server.client.tasks.retry(id, { timeoutSeconds, costLimitUsd });
    await carryOutOnServer(session, server, task, options);
  });
}
