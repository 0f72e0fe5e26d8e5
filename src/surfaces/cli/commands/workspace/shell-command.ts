import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { exitCodeOfRun } from '../../exit/exit-code-of-run.js';

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('shell')).action(async (name: string, options: CommonOptions) => {
    session.interruption.follow('leave-to-child');
    const { shellInWorkspace } = await import('../../../../operations/command/shell.js');
    const { signal } = session.interruption;
    const result = await withApp(session, options, (app, repository) => {
      const query = { repository, name, signal };
      return shellInWorkspace(app, query);
    });
    if (options.json) session.output.json(result);
    session.exitWith(exitCodeOfRun(result, session.interruption));
  });
}
