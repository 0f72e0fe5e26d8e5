import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../session.js';
import { formatWorkspaceTable } from '../views/workspace-table.js';

interface ListOptions extends CommonOptions {
  readonly all?: boolean;
  readonly fast?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .option('--all', 'the workspaces of all repositories')
    .option('--fast', 'what is on record only, without a look at the files')
    .action(async (options: ListOptions) => {
      const { listWorkspaces } = await import('../../operations/list.js');
      const { all, fast } = options;
      const workspaces = await withApp(session, options, (app, repository) =>
        listWorkspaces(app, { repository, all, fast }),
      );
      if (workspaces.length === 0 && !options.json) {
        const where = all ? '' : ' in this repository';
        return session.output.narrate(`there are no workspaces${where}; make one with: carrel up NAME`);
      }
      answer(session, options, workspaces, list => formatWorkspaceTable(list, Date.now()));
    });
}
