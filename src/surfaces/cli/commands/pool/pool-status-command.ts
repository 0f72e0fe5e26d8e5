import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { formatPoolClosing, formatPoolTable } from '../../views/workspace/pool-table.js';

export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    session.interruption.follow('finish');
    const { poolStatus } = await import('../../../../operations/pool/manage-pool.js');
    const report = await withApp(session, options, (app, repository) => poolStatus(app, { repository }));
    if (options.json || report.slots.length + report.remains.length > 0)
      answer(session, options, report, value => formatPoolTable(value, Date.now()));
    session.output.narrate(formatPoolClosing(report));
  });
}
