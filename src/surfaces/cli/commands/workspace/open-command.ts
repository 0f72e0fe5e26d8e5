import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

interface OpenOptions extends CommonOptions {
  readonly with?: string;
  readonly port?: number;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('open')).action(async (name: string, options: OpenOptions) => {
    // The editor may run in this terminal.
    session.interruption.follow('leave-to-child');
    const { openWorkspace } = await import('../../../../operations/command/open.js');
    const opened = await withApp(session, options, (app, repository) =>
      openWorkspace(app, { repository, name, with: options.with, port: options.port }),
    );
    if (options.json) session.output.json(opened);
    else session.output.narrate(`opened ${opened.path} with ${opened.command}`);
  });
}
