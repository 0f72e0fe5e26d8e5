import type { Attempt } from '../harness/attempt.js';
import { perl } from '../harness/program.js';

const NEEDS = 'user namespaces';

/** As root of a namespace when one can be had, else as is: nothing of it may work without. */
const BECOME_ROOT = `sys('unshare', 0x10000000 | 0x20000);\n`;

/** What is mounted decides what there is to see and to write. */
export const mounts: readonly Attempt[] = [
  {
    name: 'mounts a file system',
    controlNeeds: NEEDS,
    program: () =>
      perl(`${BECOME_ROOT}
        sys('mount', 'none', '/tmp', 'tmpfs', 0, '') == 0 ? escaped('a tmpfs') : held($!);`),
  },
  {
    name: 'mounts by the newer calls',
    controlNeeds: NEEDS,
    program: () =>
      perl(`${BECOME_ROOT}
        escaped('fsopen') if sys('fsopen', 'tmpfs', 0) >= 0;
        escaped('open_tree') if sys('open_tree', -100, '/', 1 | 0x8000) >= 0;
        held($!);`),
  },
  {
    name: 'makes a read-only mount writable',
    control: 'weak sandbox',
    controlNeeds: 'kernel with mount_setattr',
    program: ({ path }) =>
      perl(
        `
        # The cover of .git, which the control's sandbox has as well; there the caller keeps its capabilities.
        my $change = pack('Q4', 0, 1, 0, 0);
        my ($cover, $size) = ("$ARGV[0]/.git", 32);
        escaped('mount_setattr') if syscall($NUMBERS{mount_setattr}, -100, $cover, 0, $change, $size) == 0;
        escaped('remount') if sys('mount', 'none', $cover, '', 0x20 | 0x1000, '') == 0;
        held($!);`,
        path,
      ),
  },
  {
    name: 'unmounts what covers .git',
    control: 'weak sandbox',
    program: ({ path }) =>
      perl(`sys('umount2', "$ARGV[0]/.git", 2) == 0 ? escaped('uncovered') : held($!);`, path),
  },
  {
    name: 'changes the .git of the workspace at /workspace, its second place',
    // Without a sandbox there is only the first one.
    program: ({ path }) =>
      perl(
        `
        for my $place ('/workspace', $ARGV[0]) {
          escaped("$place/.git can be written") if open(my $file, '>>', "$place/.git");
          next unless rename("$place/.git", "$place/stolen");
          rename("$place/stolen", "$place/.git");
          escaped("$place/.git can be moved");
        }
        held($!);`,
        path,
      ),
  },
];
