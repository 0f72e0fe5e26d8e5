import type { Command } from 'commander';
import { carrelError } from '../../../../domain/error/error.js';
import { nearest } from '../../../../domain/text/nearest-word.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { formatTaskAttempts } from '../../views/eval/eval-page.js';
import { formatRunResult } from '../../views/eval/eval-result.js';

interface ShowOptions extends CommonOptions {
  readonly task?: string;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('eval show'))
    .option('--task <id>', 'show the attempts of this task')
    .action(async (name: string, options: ShowOptions) => {
      const [{ findRun }, { readRun }] = await Promise.all([
        import('../../../../batch/record/find-run.js'),
        import('../../../../batch/record/run-store.js'),
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
