import { usePrograms } from '../machine/programs.js';

/** Programs that share a pool, with `openPool` in scope. */
export const usePoolPrograms = () =>
  usePrograms({
    modules: { 'open-pool': 'test/helpers/pool/open-pool.ts' },
    imports: "import { openPool } from './open-pool.js';",
  });
