import { existsSync } from 'node:fs';
import { findProgramIn } from './find-program.js';
import { runProcess } from './run.js';

/** The words before a program and its arguments that give it a pid namespace of its own; see run-enclosed.ts. */
export type Enclosure = readonly string[];

/**
 * How a pid namespace can be had here, tried out, with a /proc that shows nothing else; undefined where none can: another
 * system than Linux, a container without the right, a kernel or a distribution that keeps namespaces from its users.
 *
 * unshare(1) and not bubblewrap, because it leaves more as it is: set-uid programs work for root, and a program has its
 * time to end after SIGTERM, which bubblewrap dies of at once.
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

/** Root needs no user namespace for it, in which no other user would be. */
const USERS = [[], ['--user', '--map-current-user']];

/**
 * Killed, it takes the namespace with it. Mounts of the machine go on to come and go inside, where the machine's are
 * shared; else a mount that was taken away would live on there for as long as the command runs.
 */
const NAMESPACES = ['--pid', '--fork', '--kill-child', '--mount', '--propagation', 'slave', '--mount-proc'];

const LIMIT_MS = 10_000;

/** Whether the program is the first process, and /proc knows it as that too. */
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
