import type { AppOptions } from '../../../app.js';

/**
 * For the crash tests: with `CARREL_TEST_KILL_AT=down:captured` the process kills itself there with SIGKILL, so that
 * no handler and no `finally` runs any more; with `down:captured#2` at the second time. The steps are those of domain/journal.ts. Without the
 * variable nothing is installed.
 */
export function findKillSeam(environment: AppOptions['environment']): AppOptions['onStep'] {
  const moment = environment.CARREL_TEST_KILL_AT;
  if (!moment) return undefined;
  const [wanted, which = '1'] = moment.split('#');
  let left = Number(which);
  return (operation, step) => {
    if (wanted === `${operation}:${step}` && --left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
