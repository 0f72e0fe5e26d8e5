import type { Command } from 'commander';
import { carrelError } from '../../../domain/error.js';
import type { LogLine } from '../../../domain/log-line.js';
import type { Task } from '../../../domain/task.js';
import { TaskArgument } from '../../command.js';
import { addServerOptions, asksServer, type ServerOptions } from '../../server-options.js';
import { type Session, withApp } from '../../session.js';
import { createLogFormatter } from '../../views/log-lines.js';

interface LogOptions extends ServerOptions {
  readonly follow?: boolean;
  readonly stage?: string;
  readonly raw?: boolean;
}

export function define(command: Command, session: Session): void {
  addServerOptions(command.addArgument(new TaskArgument()))
    .option('--follow', 'go on until the task has ended')
    .option('--stage <name>', 'only the lines of this stage')
    .option('--raw', 'also what agents print for programs, such as JSON')
    .addHelpText('after', '\nWith --json, one JSON document per line.')
    .action((id: string, options: LogOptions) =>
      (asksServer(options, session) ? printOnServer : printHere)(id, options, session),
    );
}

async function printHere(id: string, options: LogOptions, session: Session): Promise<void> {
  const [{ showTask }, { readLog }] = await Promise.all([
    import('../../../task/show-task.js'),
    import('../../../task/read-log.js'),
  ]);
  const { follow } = options;
  await withApp(session, options, async app => {
    const task = await showTask(app, { id });
    await printLog(session, task, options, readLog(app, { id: task.id, follow, signal: session.readerGone }));
  });
}

async function printOnServer(id: string, options: LogOptions, session: Session): Promise<void> {
  const { withServer } = await import('../../server-connection.js');
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
    session.output.answer(options.json ? JSON.stringify(line) : format(line));
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
