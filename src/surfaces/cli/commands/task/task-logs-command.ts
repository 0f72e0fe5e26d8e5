import type { Command } from 'commander';
import { carrelError } from '../../../../domain/error/error.js';
import type { LogLine } from '../../../../domain/task/log-line.js';
import type { Task } from '../../../../domain/task/task.js';
import { type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../remote/server-options.js';
import { createLogFormatter } from '../../views/task/log-lines.js';

interface LogOptions extends ServerOptions {
  readonly follow?: boolean;
  readonly stage?: string;
  readonly raw?: boolean;
}

export function define(command: Command, session: Session): void {
  addServerOptions(addFields(command, fieldsOf('task logs')))
    .option('--stage <name>', 'print only the lines of this stage')
    .option('--raw', 'include machine-readable output, such as JSON')
    .addHelpText('after', '\nWith --json, prints one JSON document per line.')
    .action((id: string, options: LogOptions) =>
      (asksServer(options, session) ? printOnServer : printHere)(id, options, session),
    );
}

async function printHere(id: string, options: LogOptions, session: Session): Promise<void> {
  const [{ showTask }, { readLog }] = await Promise.all([
    import('../../../../task/record/show-task.js'),
    import('../../../../task/log/read-log.js'),
  ]);
  const { follow } = options;
  await withApp(session, options, async app => {
    const task = await showTask(app, { id });
    await printLog(session, task, options, readLog(app, { id: task.id, follow, signal: session.readerGone }));
  });
}

async function printOnServer(id: string, options: LogOptions, session: Session): Promise<void> {
  const { withServer } = await import('../../remote/server-connection.js');
  const { follow = false } = options;
  await withServer(session, options, async ({ client }) => {
    const task = await client.tasks.show(id);
    await printLog(session, task, options, client.tasks.log(task.id, { follow, signal: session.readerGone }));
  });
}

async function printLog(
  session: Session,
  task: Task,
  options: LogOptions,
  lines: AsyncIterable<LogLine>,
): Promise<void> {
  const stages = task.stages.map(stage => stage.name);
  if (options.stage !== undefined) requireStage(task, options.stage, stages);
  const format = createLogFormatter(stages, session.output.answerColors);
  for await (const line of lines) {
    if (options.stage !== undefined && line.stage !== options.stage) continue;
    if (line.isForPrograms && !options.raw && !options.json) continue;
    if (options.json) session.output.jsonLine(line);
    else session.output.answer(format(line));
  }
}

function requireStage({ id }: Task, stage: string, known: readonly string[]): void {
  if (known.includes(stage)) return;
  throw carrelError('INVALID_INPUT', {
    what: 'the stage',
    found: JSON.stringify(stage),
    expected: `one of ${id}: ${known.join(', ')}`,
  });
}
