import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { formatSnapshotTable } from '../../views/workspace/snapshot-table.js';

interface SnapshotsOptions extends CommonOptions {
  readonly all?: boolean;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('snapshots')).action(
    async (name: string | undefined, options: SnapshotsOptions) => {
      const { listSnapshots } = await import('../../../../operations/snapshot/snapshot.js');
      const snapshots = await withApp(session, options, (app, repository) =>
        listSnapshots(app, { repository, name, all: options.all }),
      );
      if (snapshots.length === 0 && !options.json) {
        return session.output.narrate('there are no snapshots; take one with: carrel snapshot NAME');
      }
      answer(session, options, snapshots, list => formatSnapshotTable(list, Date.now()));
    },
  );
}
