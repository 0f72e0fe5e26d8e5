import type { Command } from 'commander';
import { writeReport } from '../../actions/run-and-watch-batch.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { openBatchView } from '../../live/batch-view.js';
import { formatRunResult } from '../../views/eval/eval-result.js';

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('eval grade')).action(async (name: string, options: CommonOptions) => {
    session.interruption.follow('finish');
    const [{ reopenItems }, { regradeRun }] = await Promise.all([
      import('../../../../batch/plan/reopen-run.js'),
      import('../../../../batch/run/regrade-run.js'),
    ]);
    await withApp(session, options, async app => {
      const { signal: stop } = session.interruption;
      const { run, items } = await reopenItems(app, name, stop);
      const view = openBatchView(session, run.plan);
      const graded = await regradeRun(app, { run, items, stop, observer: view.observer }).finally(view.close);
      const report = await writeReport(graded);
      answer(session, options, graded, value => formatRunResult(value, report, session.output.answerColors));
    });
  });
}
