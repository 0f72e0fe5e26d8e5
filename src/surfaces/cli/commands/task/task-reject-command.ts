import type { Command } from 'commander';
import type { Task } from '../../../../domain/task/task.js';
import type { RejectTaskRequest } from '../../../../task/approval/reject.operation.js';
import {
  addWatchOptions,
  runAndWatchTask,
  takerOf,
  type WatchOptions,
} from '../../actions/run-and-watch-task.js';
import { answer, type Session, withApp } from '../../cli-session.js';
import { addFields, readFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../remote/server-options.js';
import { formatTaskResult } from '../../views/task/task-result.js';

type RejectOptions = WatchOptions & ServerOptions;

export function define(command: Command, session: Session): void {
  const fields = fieldsOf('task reject');
  addWatchOptions(addServerOptions(addFields(command, fields)), 'with --retry: ').action(
    (id: string, options: RejectOptions & Record<string, unknown>) => {
      session.interruption.follow('finish');
      const { task, ...decision } = readFields(fields, [id], options) as unknown as RejectTaskRequest;
      return (asksServer(options, session) ? rejectOnServer : rejectHere)(id, decision, options, session);
    },
  );
}

type Decision = Omit<RejectTaskRequest, 'task'>;
type Reject = (id: string, decision: Decision, options: RejectOptions, session: Session) => Promise<void>;

const rejectHere: Reject = async (id, decision, options, session) => {
  const { rejectStages } = await import('../../../../task/approval/reject-stages.js');
  if (!decision.retry)
    return print(
      session,
      options,
      await withApp(session, options, app => rejectStages(app, { id, ...decision })),
    );
  await runAndWatchTask(session, options, app =>
    rejectStages(app, { id, ...decision, taker: takerOf(options) }),
  );
};

const rejectOnServer: Reject = async (id, decision, options, session) => {
  const [{ withServer }, { watchTaskOnServer }] = await Promise.all([
    import('../../remote/server-connection.js'),
    import('../../actions/watch-task-on-server.js'),
  ]);
  await withServer(session, options, async server => {
    const task = await server.client.tasks.reject(id, decision);
    if (decision.retry) await watchTaskOnServer(session, server, task, options);
    else print(session, options, task);
  });
};

/** The task failed as requested: the exit status is 0. */
const print = (session: Session, options: RejectOptions, task: Task): void =>
  answer(session, options, task, value => formatTaskResult(value, session.output.answerColors, Date.now()));
