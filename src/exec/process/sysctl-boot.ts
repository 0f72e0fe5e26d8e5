import { carrelError } from '../../domain/error/error.js';
import type { SystemProgram } from './system-program.js';

/**
 * Changes with every boot of a machine without /proc; looked up once, because it can't change while we run. macOS has
 * an id for it. Older versions and FreeBSD have only the boot time, which changes when the clock is set; then a process
 * that seems to be from another boot counts as dead.
 */
export function createSysctlBoot(run: SystemProgram): () => string {
  let known: string | undefined;
  return () => (known ??= findBoot(run));
}

function findBoot(run: SystemProgram): string {
  const read = (name: string): string => {
    const { status, stdout } = run('sysctl', ['-n', name]);
    return status === 0 ? stdout.trim() : '';
  };
  const boot = parseBootSession(read('kern.bootsessionuuid')) ?? parseBootTime(read('kern.boottime'));
  if (boot !== undefined) return boot;
  const problem = 'sysctl shows neither kern.bootsessionuuid nor kern.boottime';
  throw carrelError('INTERNAL', { problem });
}

const parseBootSession = (text: string): string | undefined =>
  /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i.test(text) ? text : undefined;

/**
 * `{ sec = 1700000000, usec = 123456 } Tue Nov 14 22:13:20 2023`; the microseconds change with every clock correction.
 */
const parseBootTime = (text: string): string | undefined => /^\{ sec = (\d+), usec = \d+ \}/.exec(text)?.[1];
