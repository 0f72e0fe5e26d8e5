import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { printable } from '../../terminal/printable.js';

export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    session.interruption.follow('finish');
    const { initRepository } = await import('../../../../operations/setup/init.js');
    const result = await withApp(session, options, (app, repository) => initRepository(app, { repository }));
    if (options.json || result.written.length > 0)
      answer(session, options, result, ({ written }) => written.map(printable).join('\n'));
    for (const file of result.kept) session.output.narrate(`kept the existing file: ${file}`);
    for (const warning of result.warnings) session.output.narrate(`warning: ${warning}`);
  });
}
