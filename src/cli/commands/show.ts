import type { Command } from 'commander';
import { WorkspaceArgument } from '../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../session.js';
import { formatWorkspacePage } from '../views/workspace-page.js';

export function define(command: Command, session: Session): void {
  command
    .addArgument(new WorkspaceArgument('<name>'))
    .action(async (name: string, options: CommonOptions) => {
      const { showWorkspace } = await import('../../operations/show.js');
      const page = await withApp(session, options, (app, repository) =>
        showWorkspace(app, { repository, name }),
      );
      answer(session, options, page, value => formatWorkspacePage(value, Date.now()));
    });
}
