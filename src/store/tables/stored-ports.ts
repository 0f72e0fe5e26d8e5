import type { PortTable } from '../store.js';
import type { Session } from '../store-session.js';

export function createPortTable(session: Session): PortTable {
  return {
    list: () =>
      session.read(async db => {
        const rows = await db.selectFrom('ports').select('first').orderBy('first').execute();
        return rows.map(row => row.first);
      }),
    claim: (first, workspaceId) =>
      session.change(async ({ db }) => {
        const claim = db.insertInto('ports').values({ first, workspace_id: workspaceId });
        const written = await claim.onConflict(conflict => conflict.doNothing()).executeTakeFirst();
        return (written.numInsertedOrUpdatedRows ?? 0n) > 0n;
      }),
    release: workspaceId =>
      session.change(async ({ db }) => {
        await db.deleteFrom('ports').where('workspace_id', '=', workspaceId).execute();
      }),
  };
}
