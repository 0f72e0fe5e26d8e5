import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { formatDataset } from '../../views/eval/eval-dataset.js';

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('eval datasets')).action(
    async (dataset: string | undefined, options: CommonOptions) => {
      const { describeDataset } = await import('../../../../batch/datasets/describe-dataset.js');
      const report = await withApp(session, options, app => describeDataset(app, dataset));
      answer(session, options, report, formatDataset);
    },
  );
}
