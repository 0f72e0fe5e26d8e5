import type { Command } from 'commander';
import { carrelError } from '../../../domain/error.js';
import { nearest } from '../../../domain/nearest.js';
import { RunArgument } from '../../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatTaskAttempts } from '../../views/eval-page.js';
import { formatRunResult } from '../../views/eval-result.js';

interface ShowOptions extends CommonOptions {
  readonly task?: string;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(new RunArgument())
    .option('--task <id>', 'all about the attempts of this task')
    .action(async (name: string, options: ShowOptions) => {
      const [{ findRun }, { readRun }] = await Promise.all([
        import('../../../batch/find-run.js'),
        import('../../../batch/run-store.js'),
      ]);
      const run = await withApp(session, options, async app => readRun(await findRun(app, name)));
      const paint = session.output.answerColors;
      const { task } = options;
      if (task === undefined)
        return answer(session, options, run, value => formatRunResult(value, undefined, paint));
      const attempts = run.attempts.filter(({ taskId }) => taskId === task);
      if (attempts.length === 0 && !run.taskIds.includes(task))
        throw carrelError('UNKNOWN_TASK_ID', {
          id: task,
          dataset: run.dataset,
          known: run.taskIds,
          nearest: nearest(task, run.taskIds),
        });
      answer(session, options, attempts, list => formatTaskAttempts(run, list, paint));
    });
}
