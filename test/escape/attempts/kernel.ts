import type { Attempt } from '../harness/attempt.js';
import { perl } from '../harness/program.js';

/** The kernel is one for all: what is set or kept there is outside of every sandbox. */
export const kernel: readonly Attempt[] = [
  {
    name: "reads a key of the user's keyring",
    controlNeeds: 'kernel with keyrings',
    // The key is made by the program itself when it may: then it would also find those of others.
    program: ({ secret }) =>
      perl(
        String.raw`
        my ($type, $name, $value, $buffer) = ('user', "carrel-$ARGV[0]", $ARGV[0], "\0" x 64);
        my $key = syscall($NUMBERS{add_key}, $type, $name, $value, length $value, -4);
        held($!) if $key < 0;
        my $length = syscall($NUMBERS{keyctl}, 11, $key, $buffer, 64);
        syscall($NUMBERS{keyctl}, 9, $key, -4);
        $length > 0 ? escaped('the keyring') : held($!);`,
        secret,
      ),
  },
  {
    name: 'opens a setting of the kernel for writing',
    control: 'root',
    program: () => perl(OPEN_FOR_WRITING, ...SETTINGS),
  },
  {
    name: 'opens a file of /sys for writing',
    control: 'root',
    program: () => perl(OPEN_FOR_WRITING, ...SYSTEM_FILES),
  },
  {
    name: 'opens the log, the memory or a disk of the machine',
    control: 'root',
    program: () => perl(OPEN_FOR_WRITING, ...DEVICES),
  },
  {
    name: 'makes a ring for input and output, whose operations no filter sees',
    controlNeeds: 'kernel with io_uring',
    program: () =>
      perl(String.raw`
        my $parameters = "\0" x 120;
        syscall($NUMBERS{io_uring_setup}, 1, $parameters) >= 0 ? escaped('a ring') : held($!);`),
  },
  {
    name: 'loads a program into the kernel with bpf',
    control: 'root',
    controlNeeds: 'kernel with bpf',
    program: () =>
      perl(String.raw`
        # A map of type array with one element: what the kernel checks first is the right to make it.
        my $map = pack('L4', 2, 4, 4, 1) . "\0" x 104;
        syscall($NUMBERS{bpf}, 0, $map, 72) >= 0 ? escaped('a map') : held($!);`),
  },
  {
    name: 'traces another process',
    controlNeeds: 'tracing of processes',
    program: () =>
      perl(`
        my $child = fork;
        if ($child == 0) { sleep 30; exit 0 }
        my $attached = sys('ptrace', 0x4206, $child, 0, 0);
        my $reason = "$!";
        kill 'KILL', $child;
        waitpid($child, 0);
        $attached == 0 ? escaped('attached') : held($reason);`),
  },
  {
    name: "reads another process's memory",
    controlNeeds: 'tracing of processes',
    program: () =>
      perl(String.raw`
        my $text = 'a text that a child has at the same address';
        my $child = fork;
        if ($child == 0) { sleep 30; exit 0 }
        my ($buffer, $address) = ("\0" x 8, unpack('Q', pack('p', $text)));
        my $local = pack('QQ', unpack('Q', pack('p', $buffer)), 8);
        my $remote = pack('QQ', $address, 8);
        my $read = syscall($NUMBERS{process_vm_readv}, $child, $local, 1, $remote, 1, 0);
        my $reason = "$!";
        kill 'KILL', $child;
        waitpid($child, 0);
        $read == 8 ? escaped($buffer) : held($reason);`),
  },
];

const OPEN_FOR_WRITING = `
for my $file (@ARGV) { open(my $handle, '+<', $file) and escaped($file) }
held($!);
`;

const SETTINGS = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/modprobe',
  '/proc/sys/kernel/hostname',
  '/proc/sys/vm/overcommit_ratio',
  '/proc/sys/user/max_user_namespaces',
  '/proc/sys/net/ipv4/ip_forward',
  '/proc/sysrq-trigger',
  '/proc/irq/default_smp_affinity',
];

const SYSTEM_FILES = [
  '/sys/kernel/mm/transparent_hugepage/enabled',
  '/sys/kernel/uevent_helper',
  '/sys/power/state',
  '/sys/fs/cgroup/memory/cgroup.procs',
  '/sys/fs/cgroup/cgroup.procs',
];

const DEVICES = ['/dev/kmsg', '/dev/mem', '/dev/sda', '/dev/vda', '/dev/nvme0n1', '/proc/kcore'];
