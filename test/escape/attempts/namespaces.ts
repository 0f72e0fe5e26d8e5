import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UNCOVER } from '../../helpers/escape/uncover.js';
import type { Attempt } from '../harness/attempt.js';
import { perl } from '../harness/program.js';

const NEEDS = 'user namespaces';

/** In its own namespace a process is root, and can uncover what was mounted over. */
export const namespaces: readonly Attempt[] = [
  {
    name: 'makes a user namespace, in which it would be root',
    controlNeeds: NEEDS,
    program: () => perl(`sys('unshare', 0x10000000) == 0 ? escaped('root in there') : held($!);`),
  },
  {
    name: 'makes a namespace of any kind',
    controlNeeds: NEEDS,
    program: () =>
      perl(`
        my %kinds = (time => 0x80, mount => 0x20000, cgroup => 0x2000000, uts => 0x4000000, ipc => 0x8000000,
          pid => 0x20000000, net => 0x40000000);
        for my $kind (sort keys %kinds) {
          for my $flags ($kinds{$kind}, $kinds{$kind} | 0x10000000) {
            escaped($kind) if sys('unshare', $flags) == 0;
          }
        }
        held($!);`),
  },
  {
    name: 'clones itself into a user namespace',
    controlNeeds: NEEDS,
    program: () =>
      perl(`
        my $child = sys('clone', 0x10000000 | 0x20000 | 17, 0, 0, 0, 0);
        exit 0 if $child == 0;
        held($!) if $child < 0;
        waitpid($child, 0);
        escaped('a child that is root');`),
  },
  {
    name: 'clones itself by clone3, whose flags no filter can read',
    controlNeeds: NEEDS,
    program: () =>
      perl(`
        my $how = pack('Q11', 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0);
        my $child = syscall($NUMBERS{clone3}, $how, length $how);
        exit 0 if $child == 0;
        held($!) if $child < 0;
        waitpid($child, 0);
        escaped('a child that is root');`),
  },
  {
    name: 'enters a namespace with setns',
    controlNeeds: NEEDS,
    program: () =>
      perl(`
        sys('unshare', 0x10000000 | 0x4000000);
        for my $kind (qw(uts mnt net pid ipc)) {
          open(my $file, '<', "/proc/self/ns/$kind") or next;
          sys('unshare', 0x4000000) if $kind eq 'uts';
          escaped($kind) if sys('setns', fileno($file), 0) == 0;
        }
        held($!);`),
  },
  {
    name: 'leaves all mounts in a new namespace and renames the covered .git',
    control: 'weak sandbox',
    controlNeeds: NEEDS,
    program: ({ path }) => perl(RENAME_COVERED, path),
    traces: ({ path }) => (existsSync(join(path, 'stolen')) ? ['.git was renamed'] : []),
  },
];

const RENAME_COVERED = `${UNCOVER}rename('.git', 'stolen') ? escaped('.git was moved away') : held("rename: $!");
`;
