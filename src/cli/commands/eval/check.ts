import type { Command } from 'commander';
import type { CheckedItem } from '../../../domain/eval-report.js';
import { DONE, exitCodes } from '../../exit-code.js';
import { parseCount } from '../../number-option.js';
import { answer, type Session, withApp } from '../../session.js';
import { formatAttemptLine } from '../../views/eval-attempt.js';
import { formatCheck } from '../../views/eval-check.js';
import { addDatasetOptions, type DatasetOptions, readFilter } from './run.js';

interface CheckOptions extends DatasetOptions {
  readonly repeats?: number;
}

export function define(command: Command, session: Session): void {
  addDatasetOptions(command)
    .option('--repeats <number>', 'how often the reference solution is tried (default: 3)', parseCount)
    .action(async (options: CheckOptions) => {
      session.interruption.follow('finish');
      const { checkDataset } = await import('../../../batch/check-dataset.js');
      const { dataset, isolation, parallelism = 2, timeout, repeats = 3 } = options;
      const { signal: stop } = session.interruption;
      const { narrateBlock, narrationColors } = session.output;
      const checked = await withApp(session, options, app =>
        checkDataset(app, {
          ...{
            dataset,
            isolation,
            parallelism,
            repeats,
            stop,
            timeoutMs: timeout,
            filter: readFilter(options),
          },
          observer: { onAttempt: attempt => narrateBlock(formatAttemptLine(attempt, narrationColors)) },
        }),
      );
      answer(session, options, checked, list => formatCheck(list, session.output.answerColors));
      session.exitWith(session.interruption.exitCode() ?? exitCodeOf(checked));
    });
}

/** What could not be tried on this machine says nothing about the data set. */
const exitCodeOf = (checked: readonly CheckedItem[]): number =>
  checked.every(({ verdict }) => ['sound', 'unsolved', 'unable'].includes(verdict)) ? DONE : exitCodes.failed;
