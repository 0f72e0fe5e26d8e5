import { usePrograms } from './programs.js';

/** Programs that use the real store, with `openSqliteStore` and `withRepositoryLock` in scope. */
export const useStorePrograms = () =>
  usePrograms({
    modules: {
      'open-sqlite-store': 'src/store/sqlite/open-sqlite-store.ts',
      'repository-lock': 'src/store/lock-repository.ts',
    },
    imports: `import { openSqliteStore } from './open-sqlite-store.js';
import { withRepositoryLock } from './repository-lock.js';`,
  });
