import type { Command } from 'commander';
import { WorkspaceArgument } from '../command.js';
import { exitCodeOfRun } from '../exit-code-of-run.js';
import { type CommonOptions, type Session, withApp } from '../session.js';

export function define(command: Command, session: Session): void {
  command
    .addArgument(new WorkspaceArgument('<name>'))
    .action(async (name: string, options: CommonOptions) => {
      session.interruption.follow('leave-to-child');
      const { shellInWorkspace } = await import('../../operations/shell.js');
      const { signal } = session.interruption;
      const result = await withApp(session, options, (app, repository) => {
        const query = { repository, name, signal };
        return shellInWorkspace(app, query);
      });
      if (options.json) session.output.json(result);
      session.exitWith(exitCodeOfRun(result, session.interruption));
    });
}
