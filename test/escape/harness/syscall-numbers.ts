/** Numbers of system calls that perl makes by hand, as the kernel counts them on this machine. */
export function syscallNumbers(): Readonly<Record<string, number>> {
  return process.arch === 'arm64' ? arm64() : x64();
}

function x64(): Record<string, number> {
  return {
    ...sharedNumbers,
    ioctl: 16,
    getpid: 39,
    clone: 56,
    ptrace: 101,
    setsid: 112,
    pivot_root: 155,
    mount: 165,
    umount2: 166,
    add_key: 248,
    keyctl: 250,
    openat: 257,
    mknodat: 259,
    fchmodat: 268,
    unshare: 272,
    setns: 308,
    process_vm_readv: 310,
    bpf: 321,
  };
}

function arm64(): Record<string, number> {
  return {
    ...sharedNumbers,
    ioctl: 29,
    mknodat: 33,
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    fchmodat: 53,
    openat: 56,
    unshare: 97,
    ptrace: 117,
    setsid: 157,
    getpid: 172,
    add_key: 217,
    keyctl: 219,
    clone: 220,
    setns: 268,
    process_vm_readv: 270,
    bpf: 280,
  };
}

/** Calls since Linux 5.1 have one number everywhere. */
const sharedNumbers = {
  io_uring_setup: 425,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  clone3: 435,
  mount_setattr: 442,
} as const;
