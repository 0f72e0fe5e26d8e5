import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { formatConfigList } from '../../views/setup/config-list.js';

interface ConfigShowOptions extends CommonOptions {
  readonly origin?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .option('--origin', 'show where each value comes from')
    .action(async (options: ConfigShowOptions) => {
      const { reportConfig } = await import('../../../../operations/setup/config.js');
      const report = await withApp(session, options, (app, repository) => reportConfig(app, { repository }));
      answer(session, options, report, value => formatConfigList(value, options.origin === true));
    });
}
