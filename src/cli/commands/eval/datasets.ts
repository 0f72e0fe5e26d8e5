import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatDataset } from '../../views/eval-dataset.js';

export function define(command: Command, session: Session): void {
  command
    .argument('[dataset]', 'golden, or the path of a file or directory', 'golden')
    .action(async (name: string, options: CommonOptions) => {
      const { describeDataset } = await import('../../../batch/datasets/describe-dataset.js');
      const report = await withApp(session, options, app => describeDataset(app, name));
      answer(session, options, report, formatDataset);
    });
}
