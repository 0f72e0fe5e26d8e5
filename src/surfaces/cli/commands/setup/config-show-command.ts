import type { Command } from 'commander';
import type { ConfigReport } from '../../../../domain/report/result.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';

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

/** `workspace.install  "auto"`, one line per value, with its origin on request. */
export function formatConfigList({ values }: ConfigReport, withOrigin: boolean): string {
  const rows = values.map(({ key, value, origin }) => {
    const text = JSON.stringify(value) ?? 'unset';
    // Values may be long, so the origins are not aligned.
    return [key, withOrigin ? `${text}  (${origin})` : text].map(printable);
  });
  return alignColumns(rows).join('\n');
}
