import { fromOwnerColumns, toOwnerColumns } from '../rows/owner-columns.js';
import type { CommandRow } from '../rows/table-schema.js';
import type { CommandTable, RunningCommand } from '../store.js';
import type { Session } from '../store-session.js';

export function createCommandTable(session: Session): CommandTable {
  return {
    insert: command =>
      session.change(async ({ db }) => {
        await db
          .insertInto('commands')
          .values(toRow({ ...command, command: session.redact(command.command) }))
          .execute();
      }),
    remove: id =>
      session.change(async ({ db }) => {
        await db.deleteFrom('commands').where('id', '=', id).execute();
      }),
    list: workspaceId =>
      session.read(async db => {
        const all = db.selectFrom('commands').selectAll();
        const commands = workspaceId === undefined ? all : all.where('workspace_id', '=', workspaceId);
        return (await commands.orderBy('started_at').orderBy('id').execute()).map(fromRow);
      }),
  };
}

function toRow(command: RunningCommand): CommandRow {
  return {
    id: command.id,
    workspace_id: command.workspaceId,
    command: command.command,
    started_at: command.startedAt,
    ...toOwnerColumns(command.process),
  };
}

function fromRow(row: CommandRow): RunningCommand {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    process: fromOwnerColumns(row),
    command: row.command,
    startedAt: row.started_at,
  };
}
