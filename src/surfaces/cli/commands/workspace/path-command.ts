import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('path')).action(async (name: string, options: CommonOptions) => {
    const { findPath } = await import('../../../../operations/workspace/find-workspace.js');
    const path = await withApp(session, options, (app, repository) => findPath(app, { repository, name }));
    answer(session, options, { path }, value => value.path);
  });
}
