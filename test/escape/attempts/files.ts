import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EscapeBait } from '../../helpers/escape/escape-bait.js';
import type { Attempt } from '../harness/attempt.js';
import { perl } from '../harness/program.js';

/** The workspace's files are the user's files outside: what they may do there counts. */
export const files: readonly Attempt[] = [
  {
    name: 'sets the setuid bit of a file of the workspace',
    program: ({ path }) =>
      perl(
        `my $file = "$ARGV[0]/setuid-by-chmod";
        open(my $made, '>', $file) or held($!);
        chmod(04755, $file) ? escaped('chmod') : held($!);`,
        path,
      ),
    traces: bait => privileged(bait),
  },
  {
    name: 'sets the setuid bit by other calls',
    program: ({ path }) =>
      perl(
        `
        my $file = "$ARGV[0]/setuid-by-call";
        open(my $made, '>', $file) or held($!);
        escaped('fchmod') if chmod(06755, $made);
        escaped('fchmodat') if sys('fchmodat', -100, $file, 06755) == 0;
        umask 0;
        my $name = "$ARGV[0]/setuid-at-birth";
        my $born = sys('openat', -100, $name, 0101, 06755);
        escaped('open') if $born >= 0 && (stat $name)[2] & 06000;
        my $node = "$ARGV[0]/setuid-node";
        escaped('mknod') if sys('mknodat', -100, $node, 0106755, 0) == 0 && (stat $node)[2] & 06000;
        held($!);`,
        path,
      ),
    traces: bait => privileged(bait),
  },
  {
    name: 'makes a device in the workspace',
    control: 'root',
    program: ({ path }) =>
      perl(
        `my $null = "$ARGV[0]/device";
        sys('mknodat', -100, $null, 0020666, (1 << 8) | 3) == 0 ? escaped('a device') : held($!);`,
        path,
      ),
    traces: bait => devices(bait),
  },
  {
    name: 'writes into the programs of the machine',
    control: 'root',
    program: ({ secret }) =>
      perl(
        `for my $place (qw(/usr/bin /usr/local/bin /usr/lib /etc)) {
          my $file = "$place/carrel-escape-$ARGV[0]";
          open(my $made, '>', $file) or next;
          unlink $file;
          escaped($place);
        }
        held($!);`,
        secret,
      ),
  },
];

function privileged({ path }: EscapeBait): string[] {
  return readdirSync(path).filter(name => lstatSync(join(path, name)).mode & 0o6000);
}

function devices({ path }: EscapeBait): string[] {
  return readdirSync(path).filter(name => {
    const stat = lstatSync(join(path, name));
    return stat.isCharacterDevice() || stat.isBlockDevice();
  });
}
