import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatDataset } from '../../views/eval-dataset.js';

export function define(command: Command, session: Session): void {
  command
    .argument('[dataset]', 'golden, or the path of a file or directory', 'golden')
    .action(async (name: string, options: CommonOptions) => {
      const { loadDataset } = await import('../../../batch/datasets/load-dataset.js');
      const dataset = await withApp(session, options, app => loadDataset(app, name));
      const report = {
        name: dataset.name,
        format: dataset.format,
        tasks: dataset.items.map(({ id, description, language, difficulty, tags }) => ({
          ...{ id, description },
          ...{ language: language ?? null, difficulty: difficulty ?? null, tags: tags ?? [] },
        })),
        broken: dataset.broken,
      };
      answer(session, options, report, formatDataset);
    });
}
