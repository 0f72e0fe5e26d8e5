import type { Command } from 'commander';
import type { App } from '../../../app.js';
import { carrelError } from '../../../domain/error.js';
import type { Task } from '../../../domain/task.js';
import { TaskArgument } from '../../command.js';
import { type CommonOptions, type Session, withApp } from '../../session.js';
import { createLogFormatter } from '../../views/log-lines.js';

interface LogOptions extends CommonOptions {
  readonly follow?: boolean;
  readonly stage?: string;
  readonly raw?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(new TaskArgument())
    .option('--follow', 'go on until the task has ended')
    .option('--stage <name>', 'only the lines of this stage')
    .option('--raw', 'also what agents print for programs, such as JSON')
    .addHelpText('after', '\nWith --json, one JSON document per line.')
    .action((id: string, options: LogOptions) =>
      withApp(session, options, app => printLog(session, app, id, options)),
    );
}

async function printLog(session: Session, app: App, id: string, options: LogOptions): Promise<void> {
  const [{ showTask }, { readLog }] = await Promise.all([
    import('../../../task/show-task.js'),
    import('../../../task/read-log.js'),
  ]);
  const task = await showTask(app, { id });
  const stages = task.stages.map(stage => stage.name);
  if (options.stage !== undefined) requireStage(task, options.stage, stages);
  const format = createLogFormatter(stages, session.output.answerColors);
  const { follow } = options;
  for await (const line of readLog(app, { id: task.id, follow, signal: session.readerGone })) {
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
