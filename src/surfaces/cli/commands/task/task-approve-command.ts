import type { Command } from 'commander';
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

type ApproveOptions = WatchOptions & ServerOptions;

export function define(command: Command, session: Session): void {
  const fields = fieldsOf('task approve');
  addWatchOptions(addServerOptions(addFields(command, fields))).action(
    (id: string, options: ApproveOptions & Record<string, unknown>) => {
      session.interruption.follow('finish');
      const { task, ...decision } = readFields(fields, [id], options);
      return (asksServer(options, session) ? approveOnServer : approveHere)(id, decision, options, session);
    },
  );
}

type Approve = (id: string, decision: object, options: ApproveOptions, session: Session) => Promise<void>;

const approveHere: Approve = async (id, decision, options, session) => {
  const { approveStages } = await import('../../../../task/approval/approve-stages.js');
  await runAndWatchTask(session, options, app =>
    approveStages(app, { id, ...decision, taker: takerOf(options) }),
  );
};

const approveOnServer: Approve = async (id, decision, options, session) => {
  const [{ withServer }, { watchTaskOnServer }] = await Promise.all([
    import('../../remote/server-connection.js'),
    import('../../actions/watch-task-on-server.js'),
  ]);
  await withServer(session, options, async server => {
    const task = await server.client.tasks.approve(id, decision);
    await watchTaskOnServer(session, server, task, options);
  });
};
