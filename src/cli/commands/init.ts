import type { Command } from 'commander';
import { printable } from '../printable.js';
import { answer, type CommonOptions, type Session, withApp } from '../session.js';

export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    session.interruption.follow('finish');
    const { initRepository } = await import('../../operations/init.js');
    const result = await withApp(session, options, (app, repository) => initRepository(app, { repository }));
    if (options.json || result.written.length > 0)
      answer(session, options, result, ({ written }) => written.map(printable).join('\n'));
    for (const file of result.kept) session.output.narrate(`kept as it is: ${file}`);
    for (const warning of result.warnings) session.output.narrate(`warning: ${warning}`);
  });
}
