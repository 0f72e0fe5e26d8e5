import { existsSync, readFileSync } from 'node:fs';

/** Why the kernel or the machine's settings refuse a sandbox, and what can be done about it. */
export interface Refusal {
  readonly message: string;
  readonly hint: string;
}

/** A file of the machine, without its line break; undefined when there is none. */
export type ReadSetting = (path: string) => string | undefined;

/** `problem` is bubblewrap's message; it is used when no known cause is found. */
export function explainRefusal(uid: number, problem: string, read: ReadSetting = readSetting): Refusal {
  const cause = CAUSES.find(({ isForRoot, isIt }) => (uid !== 0 || isForRoot) && isIt(read));
  if (!cause) return { message: `the kernel refuses it: ${problem}`, hint: 'see docs/guides/sandbox.md' };
  return { message: `${cause.message}: ${problem}`, hint: cause.hint };
}

interface Cause extends Refusal {
  /** Root is exempt from what is meant for ordinary users. */
  readonly isForRoot: boolean;
  readonly isIt: (read: ReadSetting) => boolean;
}

const CAUSES: readonly Cause[] = [
  {
    isForRoot: true,
    isIt: read => read('/proc/sys/user/max_user_namespaces') === '0',
    message: 'this machine does not allow user namespaces (user.max_user_namespaces is 0)',
    hint: 'run as root: sysctl user.max_user_namespaces=15000',
  },
  {
    isForRoot: false,
    isIt: read => read('/proc/sys/kernel/unprivileged_userns_clone') === '0',
    message: 'only root may create user namespaces here (kernel.unprivileged_userns_clone is 0)',
    hint: 'run as root: sysctl kernel.unprivileged_userns_clone=1',
  },
  {
    isForRoot: false,
    isIt: read => read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1',
    message:
      'AppArmor only lets programs with a profile create user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)',
    hint: 'give bwrap a profile: install apparmor-profiles and load bwrap-userns-restrict',
  },
  {
    isForRoot: true,
    isIt: read => CONTAINER_MARKS.some(path => read(path) !== undefined),
    message: 'this is a container, and its engine refuses what a sandbox needs',
    hint: 'let the container create namespaces, or run Carrel outside it',
  },
  {
    isForRoot: true,
    isIt: read => /^Seccomp:\s*2$/m.test(read('/proc/self/status') ?? ''),
    message: 'Carrel itself runs in a sandbox that does not allow nested sandboxes',
    hint: 'run Carrel outside it',
  },
];

/** Put there by docker and by podman. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

function readSetting(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}
