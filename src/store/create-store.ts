import type { Change, Session } from './session.js';
import type { Store, Tables } from './store.js';
import { createCommandTable } from './tables/commands.js';
import { createEventTable } from './tables/events.js';
import { createJournalTable } from './tables/journal.js';
import { createLockTable } from './tables/locks.js';
import { createPortTable } from './tables/ports.js';
import { createRemainsTable } from './tables/remains.js';
import { createSlotTable } from './tables/slots.js';
import { createSnapshotTable } from './tables/snapshots.js';
import { createTaskTable } from './tables/tasks.js';
import { createTrustTable } from './tables/trust.js';
import { createWorkspaceTable } from './tables/workspaces.js';

/** The store, whatever the database behind the session is. */
export function createStore(session: Session): Store {
  return {
    ...createTables(session),
    atomically: action => session.change(change => action(createTables(within(session, change)))),
    location: session.location,
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

/** The same session, with everything as part of a change that is under way. */
function within(session: Session, change: Change): Session {
  return { ...session, read: action => action(change.db), change: action => action(change) };
}
