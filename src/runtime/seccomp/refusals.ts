import { type Alternative, hasNoneOf, hasWithin, isExactly, isNoneOf } from './argument-test.js';

/** System calls that are refused inside a sandbox, always or unless their arguments are harmless. */
export interface Refusal {
  readonly syscalls: readonly string[];
  /** ENOSYS where programs have a fallback; EPERM where a refusal is understood. */
  readonly errno: number;
  /** Allowed when one of these holds. */
  readonly unless?: readonly Alternative[];
}

export interface SeccompChoice {
  /** Whether programs inside may create namespaces: weaker, see the guide. */
  readonly nested: boolean;
}

/** The only list: the filter of bubblewrap and the profile of the container engines are both built from it. */
export function listRefusals({ nested }: SeccompChoice): readonly Refusal[] {
  return nested ? REFUSED_ALWAYS : [...REFUSED_UNLESS_NESTED, ...REFUSED_ALWAYS];
}

const EPERM = 1;
export const ENOSYS = 38;

/**
 * CLONE_NEW NS, CGROUP, UTS, IPC, USER, PID and NET. clone does not know NEWTIME (0x80): there it is part of the
 * signal.
 */
const NAMESPACE_FLAGS = 0x7e020000;

const REFUSED_UNLESS_NESTED: readonly Refusal[] = [
  { syscalls: ['unshare', 'setns', 'sethostname', 'setdomainname', 'chroot'], errno: EPERM },
  { syscalls: ['clone'], errno: EPERM, unless: [[hasNoneOf(0, NAMESPACE_FLAGS)]] },
  // Its flags are in memory, where a filter can't look. The C libraries then use clone.
  { syscalls: ['clone3'], errno: ENOSYS },
  {
    syscalls: [
      ...['mount', 'umount2', 'pivot_root', 'move_mount', 'open_tree', 'open_tree_attr', 'mount_setattr'],
      ...['fsopen', 'fsconfig', 'fsmount', 'fspick'],
    ],
    errno: EPERM,
  },
];

const S_IFMT = 0o170000;
const S_IFREG = 0o100000;
const S_IFIFO = 0o010000;
const S_IFSOCK = 0o140000;
/** Set user id and set group id: on the host the file would run as the user of the workspace for anyone. */
const SET_ID_BITS = 0o6000;
/** O_CREAT, and the bit of O_TMPFILE that no other flag has; the same on both architectures. */
const CREATING = 0o100 | 0o20000000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

const PER_LINUX = 0;
const PER_LINUX32 = 8;
const ASK_PERSONALITY = 0xffffffff;

const REFUSED_ALWAYS: readonly Refusal[] = [
  { syscalls: ['keyctl', 'add_key', 'request_key'], errno: EPERM },
  {
    syscalls: [
      ...[
        'bpf',
        'perf_event_open',
        'userfaultfd',
        'fanotify_init',
        'syslog',
        'acct',
        'quotactl',
        'quotactl_fd',
      ],
      ...['kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'reboot'],
      ...['swapon', 'swapoff', 'settimeofday', 'clock_settime', 'vhangup', 'iopl', 'ioperm'],
      ...['name_to_handle_at', 'open_by_handle_at', 'lookup_dcookie'],
    ],
    errno: EPERM,
  },
  // Obsolete and unused.
  {
    syscalls: [
      ...['_sysctl', 'uselib', 'ustat', 'sysfs', 'modify_ldt', 'nfsservctl'],
      ...['create_module', 'get_kernel_syms', 'query_module'],
    ],
    errno: ENOSYS,
  },
  // No filter sees what is done through a ring.
  { syscalls: ['io_uring_setup', 'io_uring_enter', 'io_uring_register'], errno: ENOSYS },
  {
    syscalls: [
      ...['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'pidfd_getfd', 'kcmp'],
      ...[
        'mbind',
        'set_mempolicy',
        'get_mempolicy',
        'set_mempolicy_home_node',
        'migrate_pages',
        'move_pages',
      ],
      'vmsplice',
    ],
    errno: EPERM,
  },
  {
    syscalls: ['personality'],
    errno: EPERM,
    unless: [PER_LINUX, PER_LINUX32, ASK_PERSONALITY].map(value => [isExactly(0, value)]),
  },
  { syscalls: ['mknod'], errno: EPERM, unless: isPlainNode(1) },
  { syscalls: ['mknodat'], errno: EPERM, unless: isPlainNode(2) },
  { syscalls: ['chmod', 'fchmod', 'creat'], errno: EPERM, unless: [[hasNoneOf(1, SET_ID_BITS)]] },
  { syscalls: ['fchmodat', 'fchmodat2'], errno: EPERM, unless: [[hasNoneOf(2, SET_ID_BITS)]] },
  // Without a flag that makes a file, the mode is an arbitrary register value.
  { syscalls: ['open'], errno: EPERM, unless: [[hasNoneOf(2, SET_ID_BITS)], [hasNoneOf(1, CREATING)]] },
  { syscalls: ['openat'], errno: EPERM, unless: [[hasNoneOf(3, SET_ID_BITS)], [hasNoneOf(2, CREATING)]] },
  // Its mode is in memory, where a filter can't look.
  { syscalls: ['openat2'], errno: ENOSYS },
  { syscalls: ['ioctl'], errno: EPERM, unless: isNoneOf(1, [TIOCSTI, TIOCLINUX]) },
  {
    syscalls: ['socket'],
    errno: EPERM,
    unless: [
      ...[AF_UNIX, AF_INET, AF_INET6].map(family => [isExactly(0, family)]),
      [isExactly(0, AF_NETLINK), isExactly(2, NETLINK_ROUTE)],
    ],
  },
  { syscalls: ['socketpair'], errno: EPERM, unless: [[isExactly(0, AF_UNIX)]] },
];

/** A file, pipe or socket without set-id bits; 0 is a file too. Not a device. */
function isPlainNode(argument: number): Alternative[] {
  return [0, S_IFREG, S_IFIFO, S_IFSOCK].map(type => [hasWithin(argument, S_IFMT | SET_ID_BITS, type)]);
}
