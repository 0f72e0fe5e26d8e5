import type { Store, Tables } from './store.js';
import type { Change, Session } from './store-session.js';
import { createDamagedRows } from './tables/damaged-rows.js';
import { createCommandTable } from './tables/stored-commands.js';
import { createEventTable } from './tables/stored-events.js';
import { createJournalTable } from './tables/stored-journal.js';
import { createLockTable } from './tables/stored-locks.js';
import { createPortTable } from './tables/stored-ports.js';
import { createRemainsTable } from './tables/stored-remains.js';
import { createSlotTable } from './tables/stored-slots.js';
import { createSnapshotTable } from './tables/stored-snapshots.js';
import { createTaskTable } from './tables/stored-tasks.js';
import { createTrustTable } from './tables/stored-trust.js';
import { createWorkspaceTable } from './tables/stored-workspaces.js';

/** The store, for any database behind the session. */
export function createStore(session: Session): Store {
  return {
    ...createTables(session),
    atomically: action => session.change(change => action(createTables(within(session, change)))),
    location: session.location,
    isReadOnly: session.isReadOnly,
    copy: label => session.copyTo(`${session.location}.${label}`),
    damaged: createDamagedRows(session),
    close: () => session.close(),
  };
}

function createTables(session: Session): Tables {
  return {
    workspaces: createWorkspaceTable(session),
    snapshots: createSnapshotTable(session),
    events: createEventTable(session),
    journal: createJournalTable(session),
    locks: createLockTable(session),
    ports: createPortTable(session),
    trust: createTrustTable(session),
    commands: createCommandTable(session),
    slots: createSlotTable(session),
    remains: createRemainsTable(session),
    tasks: createTaskTable(session),
  };
}

/** The same session, with everything as part of a running change. */
function within(session: Session, change: Change): Session {
  return { ...session, read: action => action(change.db), change: action => action(change) };
}
