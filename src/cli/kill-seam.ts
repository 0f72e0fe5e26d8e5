import type { AppOptions } from '../app.js';

/**
 * For the crash tests: with `CARREL_TEST_KILL_AT=down:captured` the process ends itself there by SIGKILL, so that
 * nothing of it, no handler and no `finally`, runs any more. The steps are those of domain/journal.ts. Without the
 * variable there is no seam at all.
 */
export function findKillSeam(environment: AppOptions['environment']): AppOptions['onStep'] {
  const moment = environment.CARREL_TEST_KILL_AT;
  if (!moment) return undefined;
  return (operation, step) => {
    if (moment === `${operation}:${step}`) process.kill(process.pid, 'SIGKILL');
  };
}
