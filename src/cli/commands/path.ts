import type { Command } from 'commander';
import { WorkspaceArgument } from '../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../session.js';

export function define(command: Command, session: Session): void {
  command
    .addArgument(new WorkspaceArgument('<name>'))
    .action(async (name: string, options: CommonOptions) => {
      const { findPath } = await import('../../operations/find.js');
      const path = await withApp(session, options, (app, repository) => findPath(app, { repository, name }));
      answer(session, options, { path }, value => value.path);
    });
}
