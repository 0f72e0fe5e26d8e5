import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

interface SnapshotOptions extends CommonOptions {
  readonly message?: string;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('snapshot')).action(async (name: string, options: SnapshotOptions) => {
    session.interruption.follow('finish');
    const { snapshotWorkspace } = await import('../../../../operations/snapshot/snapshot.js');
    const snapshot = await withApp(session, options, (app, repository) =>
      snapshotWorkspace(app, { repository, name, message: options.message }),
    );
    answer(session, options, snapshot, ({ id }) => id);
    for (const { path, reason } of snapshot.omitted) session.output.narrate(`left out: ${path} (${reason})`);
  });
}
