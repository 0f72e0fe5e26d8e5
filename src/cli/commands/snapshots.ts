import type { Command } from 'commander';
import { WorkspaceArgument } from '../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../session.js';
import { formatSnapshotTable } from '../views/snapshot-table.js';

interface SnapshotsOptions extends CommonOptions {
  readonly all?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(new WorkspaceArgument('[name]', 'only those of this workspace, which may be long gone'))
    .option('--all', 'the snapshots of all repositories')
    .action(async (name: string | undefined, options: SnapshotsOptions) => {
      const { listSnapshots } = await import('../../operations/snapshot.js');
      const snapshots = await withApp(session, options, (app, repository) =>
        listSnapshots(app, { repository, name, all: options.all }),
      );
      if (snapshots.length === 0 && !options.json) {
        return session.output.narrate('there are no snapshots; take one with: carrel snapshot NAME');
      }
      answer(session, options, snapshots, list => formatSnapshotTable(list, Date.now()));
    });
}
