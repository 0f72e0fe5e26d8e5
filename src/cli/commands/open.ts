import type { Command } from 'commander';
import { WorkspaceArgument } from '../command.js';
import { type CommonOptions, type Session, withApp } from '../session.js';

interface OpenOptions extends CommonOptions {
  readonly with?: string;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(new WorkspaceArgument('<name>'))
    .option('--with <program>', 'the program to open it with, such as code')
    .action(async (name: string, options: OpenOptions) => {
      // The editor may be one that lives on this terminal.
      session.interruption.follow('leave-to-child');
      const { openWorkspace } = await import('../../operations/open.js');
      const opened = await withApp(session, options, (app, repository) =>
        openWorkspace(app, { repository, name, with: options.with }),
      );
      if (options.json) session.output.json(opened);
      else session.output.narrate(`opened ${opened.path} with ${opened.command}`);
    });
}
