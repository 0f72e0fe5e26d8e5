import type { AppOptions } from '../../../app.js';

/**
 * For the crash tests: with `CARREL_TEST_KILL_AT=down:captured` the process kills itself there with SIGKILL, so that
 * no handler and no `finally` runs any more. The steps are those of domain/journal.ts. Without the
 * variable nothing is installed.
 */
export function findKillSeam(environment: AppOptions['environment']): AppOptions['onStep'] {
  const moment = environment.CARREL_TEST_KILL_AT;
  if (!moment) return undefined;
  return (operation, step) => {
    if (moment === `${operation}:${step}`) process.kill(process.pid, 'SIGKILL');
  };
}
