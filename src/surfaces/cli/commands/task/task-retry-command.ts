import type { Command } from 'commander';
import type { RetryRequest } from '../../../../task/recovery/retry.operation.js';
import {
  addWatchOptions,
  runAndWatchTask,
  takerOf,
  type WatchOptions,
} from '../../actions/run-and-watch-task.js';
import type { Session } from '../../cli-session.js';
import { addFields, readFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../remote/server-options.js';

type RetryOptions = WatchOptions & ServerOptions;

export function define(command: Command, session: Session): void {
  const fields = fieldsOf('task retry');
  addWatchOptions(addServerOptions(addFields(command, fields))).action(
    (id: string, options: RetryOptions & Record<string, unknown>) => {
      session.interruption.follow('finish');
      const { task, ...request } = readFields(fields, [id], options);
      return (asksServer(options, session) ? retryOnServer : retryHere)(id, request, options, session);
    },
  );
}

type Retry = (id: string, request: RetryRequest, options: RetryOptions, session: Session) => Promise<void>;

const retryHere: Retry = async (id, request, options, session) => {
  const [{ retryTask }, { readLimits }] = await Promise.all([
    import('../../../../task/recovery/retry-task.js'),
    import('../../../../task/queue/limit-fields.js'),
  ]);
  await runAndWatchTask(session, options, app =>
    retryTask(app, { id, taker: takerOf(options), ...readLimits(request) }),
  );
};

const retryOnServer: Retry = async (id, request, options, session) => {
  const [{ withServer }, { watchTaskOnServer }] = await Promise.all([
    import('../../remote/server-connection.js'),
    import('../../actions/watch-task-on-server.js'),
  ]);
  await withServer(session, options, async server => {
    const task = await server.client.tasks.retry(id, request);
    await watchTaskOnServer(session, server, task, options);
  });
};
