import { usePrograms } from './programs.js';

/** Programs that share a pool, with `openPool` in scope. */
export const usePoolPrograms = () =>
  usePrograms({
    modules: { 'open-pool': 'test/helpers/open-pool.ts' },
    imports: "import { openPool } from './open-pool.js';",
  });
