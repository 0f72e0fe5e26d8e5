import type { Command } from 'commander';
import { carrelError } from '../../../domain/error.js';
import { RunArgument } from '../../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatComparison } from '../../views/eval-comparison.js';

export function define(command: Command, session: Session): void {
  command
    .addArgument(new RunArgument('<runs...>', 'two runs or more; the others are compared with the first'))
    .action(async (names: string[], options: CommonOptions) => {
      if (names.length < 2)
        throw carrelError('INVALID_INPUT', {
          what: 'the runs',
          found: String(names.length),
          expected: 'two or more',
        });
      const [{ findRun }, { readRun }, { compareRuns }] = await Promise.all([
        import('../../../batch/find-run.js'),
        import('../../../batch/run-store.js'),
        import('../../../batch/report/compare-runs.js'),
      ]);
      const runs = await withApp(session, options, app =>
        Promise.all(names.map(async name => readRun(await findRun(app, name)))),
      );
      answer(session, options, compareRuns(runs), value => formatComparison(value));
    });
}
