import { existsSync } from 'node:fs';
import { findProgramIn } from '../find-program.js';
import { runProcess } from '../run-process.js';

/** The prefix that starts a program in its own pid namespace; see run-enclosed.ts. */
export type Enclosure = readonly string[];

/**
 * How to create a pid namespace here, tested, with a /proc that shows nothing else. Undefined where that does not work:
 * on another system than Linux, in a container without the permission, or where the kernel or distribution forbids
 * namespaces to users. Uses unshare(1), not bubblewrap, because it changes less: set-uid programs work for root, and a
 * program has time to exit after SIGTERM, on which bubblewrap dies immediately.
 */
export async function findEnclosure(path: string, cwd: string): Promise<Enclosure | undefined> {
  const unshare = existsSync('/proc/self/ns/pid') && findProgramIn(`/usr/bin:/bin:${path}`, 'unshare');
  if (!unshare) return undefined;
  for (const user of USERS) {
    const enclosure = [unshare, ...user, ...NAMESPACES, '--'];
    if (await isWorking(enclosure, cwd)) return enclosure;
  }
  return undefined;
}

/** Root needs no user namespace for it; in one, no other user would exist. */
const USERS = [[], ['--user', '--map-current-user']];

/**
 * When it is killed, the namespace dies with it. Mounts of the machine are propagated where they are shared; otherwise
 * a mount that was removed outside would stay inside as long as the command runs.
 */
const NAMESPACES = ['--pid', '--fork', '--kill-child', '--mount', '--propagation', 'slave', '--mount-proc'];

const LIMIT_MS = 10_000;

/** Whether the program is the first process, and /proc shows it as such. */
async function isWorking([command = '', ...args]: Enclosure, cwd: string): Promise<boolean> {
  const script = 'read -r pid rest < /proc/self/stat && test "$$ $pid" = "1 1"';
  const { exitCode } = await runProcess({
    command,
    args: [...args, '/bin/sh', '-c', script],
    cwd,
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: LIMIT_MS,
    maxOutputBytes: 0,
  });
  return exitCode === 0;
}
