import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { formatWorkspacePage } from '../../views/workspace/workspace-page.js';

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('show')).action(async (name: string, options: CommonOptions) => {
    const { showWorkspace } = await import('../../../../operations/workspace/show.js');
    const page = await withApp(session, options, (app, repository) =>
      showWorkspace(app, { repository, name }),
    );
    answer(session, options, page, value => formatWorkspacePage(value, Date.now()));
  });
}
