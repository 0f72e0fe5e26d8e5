import type { Store } from '../../store/store.js';
import type { BackendUse, CustomBackends } from './custom-backends.js';

/** The store; the backend of every workspace and snapshot that is read from it is prepared before its caller gets it. */
export function withBackends(store: Store, prepare: CustomBackends['prepare']): Store {
  const each = async <T extends BackendUse>(found: T[]): Promise<T[]> => {
    await prepare(found);
    return found;
  };
  const one = async <T extends BackendUse>(found: T | undefined): Promise<T | undefined> => {
    if (found) await prepare([found]);
    return found;
  };
  const { workspaces, snapshots } = store;
  return {
    ...store,
    workspaces: {
      ...workspaces,
      find: async id => one(await workspaces.find(id)),
      list: async filter => each(await workspaces.list(filter)),
      update: async (id, expected, patch, events) =>
        one(await workspaces.update(id, expected, patch, events)),
    },
    snapshots: {
      ...snapshots,
      find: async id => one(await snapshots.find(id)),
      list: async filter => each(await snapshots.list(filter)),
    },
  };
}
