import { listSyscalls } from '../../../src/runtime/seccomp/syscalls.js';

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x64';
const NUMBERS = listSyscalls(ARCHITECTURE);

/** A system call by name, with its arguments; `s:` begins a string, of which the call gets the address. */
export type Call = readonly [string, ...(string | number)[]];

/** Calls that the kernel itself neither refuses nor lacks, so that only the filter can. Some fail for another reason. */
const NEWER_CALLS: readonly Call[] = [
  ['unshare', 0x10000000],
  ['setns', -1, 0],
  ['clone', 0x10000011, 0, 0, 0, 0],
  ['clone3', 0, 0],
  ['mount', 's:x', 's:x', 1, 0, 0],
  ['umount2', 's:/nonexistent', 0],
  ['open_tree', -100, 's:/nonexistent', 0],
  ['fsconfig', -1, 0, 0, 0, 0],
  ['mount_setattr', -100, 0, 0xffffffff, 0, 0],
  ['keyctl', 0, -3, 0],
  ['add_key', 1, 0, 0, 0, 0],
  ['request_key', 1, 0, 0, 0],
  ['io_uring_setup', 1, 1],
  ['ptrace', 0, 0, 0, 0],
  ['process_vm_readv', 0, 0, 0, 0, 0, 1],
  ['process_vm_writev', 0, 0, 0, 0, 0, 1],
  ['process_madvise', -1, 0, 0, 0, 1],
  ['pidfd_getfd', -1, 0, 1],
  ['perf_event_open', 0, 0, 0, 0, 0xffff],
  ['name_to_handle_at', -100, 's:/', 0, 0, 0xffff],
  ['get_mempolicy', 0, 0, 0, 0, 0xff],
  ['vmsplice', -1, 0, 0, 0xff00],
  ['personality', 0x40000],
  // Character device number 0 is unused, and every user may create it.
  ['mknodat', -100, 's:device', 0o020644, 0],
  ['mknodat', -100, 's:program', 0o104755, 0],
  ['fchmodat', -100, 's:/tmp', 0o4755],
  ['fchmodat', -100, 's:/tmp', 0o2755],
  ['openat', -100, 's:program', 0o100, 0o4755],
  ['openat', -100, 's:/tmp', 0o20200002, 0o4755],
  ['openat2', -100, 's:x', 0, 0],
  ['ioctl', 0, 0x5412, 0],
  ['ioctl', 0, 2 ** 32 + 0x5412, 0],
  ['ioctl', 0, 0x541c, 0],
  ['socket', 38, 5, 0],
  ['socket', 40, 1, 0],
  ['socket', 16, 3, 9],
  ['socketpair', 40, 1, 0, 0],
];

const OLDER_CALLS: readonly Call[] = [
  ['chmod', 's:/tmp', 0o4755],
  ['creat', 's:program', 0o4755],
  ['open', 's:program', 0o100, 0o4755],
  ['mknod', 's:device', 0o020644, 0],
];

/** Of this machine's architecture. */
export const CONTROLLED_CALLS: readonly Call[] = [
  ...NEWER_CALLS,
  ...(ARCHITECTURE === 'x64' ? OLDER_CALLS : []),
];

/** A program that makes system calls one by one, and what it reads. */
export function makeCalls(calls: readonly Call[]): { readonly command: string[]; readonly input: string } {
  const lines = calls.map(([name, ...args]) => `${[NUMBERS.get(name), ...args].join(' ')}\n`);
  return {
    command: ['perl', '-MPOSIX=_exit', '-e', CALLER, String(NUMBERS.get('getpid'))],
    input: lines.join(''),
  };
}

/** What it printed: the error number of each call, 0 for success. */
export const readErrors = (output: string): number[] => output.trim().split('\n').map(Number);

/** A child that a call has made ends at once. */
const CALLER = `
  my $getpid = shift;
  my $self = syscall($getpid + 0);
  while (<STDIN>) {
    chomp;
    my ($number, @args) = map { /^s:(.*)/ ? "$1" : $_ + 0 } split / /;
    my $failed = syscall($number, @args) == -1;
    my $error = $! + 0;
    _exit(0) if syscall($getpid + 0) != $self;
    syswrite STDOUT, ($failed ? $error : 0) . "\\n";
  }`;
