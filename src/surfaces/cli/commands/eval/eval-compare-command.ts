import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { formatComparison } from '../../views/eval/eval-comparison.js';

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('eval compare')).action(async (runs: string[], options: CommonOptions) => {
    const { compareNamedRuns } = await import('../../../../batch/report/comparison/compare-runs.js');
    const comparison = await withApp(session, options, app => compareNamedRuns(app, runs));
    answer(session, options, comparison, value => formatComparison(value));
  });
}
