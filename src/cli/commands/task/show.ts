import type { Command } from 'commander';
import { TaskArgument } from '../../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatTaskPage } from '../../views/task-page.js';

export function define(command: Command, session: Session): void {
  command.addArgument(new TaskArgument()).action(async (id: string, options: CommonOptions) => {
    const { showTask } = await import('../../../task/show-task.js');
    const task = await withApp(session, options, app => showTask(app, { id }));
    answer(session, options, task, value => formatTaskPage(value, session.output.answerColors, Date.now()));
  });
}
