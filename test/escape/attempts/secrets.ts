import { dirname, join } from 'node:path';
import type { Attempt } from '../harness/attempt.js';
import { perl, shell } from '../harness/program.js';

/** What is on the machine and not in the policy is not there. */
export const secrets: readonly Attempt[] = [
  {
    name: "reads a key in the user's .ssh",
    program: ({ home, secret }) => perl(READ_ANY, secret, join(home, '.ssh/id_ed25519')),
  },
  {
    name: 'reads the passwords of the machine',
    control: 'root',
    program: () => perl(READ_ANY, ':', '/etc/shadow', '/etc/gshadow', '/etc/shadow-'),
  },
  {
    name: "reads Carrel's own records",
    program: ({ stateDir }) => perl(READ_ANY, 'SQLite', join(stateDir, 'carrel.db')),
  },
  {
    name: "reads the repository's configuration",
    program: ({ commonDir }) => perl(READ_ANY, 'core', join(commonDir, 'config')),
  },
  {
    name: "reads the user's own checkout",
    program: ({ repository }) => perl(READ_ANY, 'hello', join(repository, 'README.md')),
  },
  {
    name: "finds a file in the user's home, which is below the machine's /tmp here",
    program: ({ home }) => shell('[ -e "$1" ] && escaped there; held absent', join(home, 'diary.txt')),
  },
  {
    name: 'sees what lies beside the workspace',
    program: ({ path, neighbour }) =>
      perl(
        `opendir(my $directory, $ARGV[0]) or held($!);
        grep({ $_ eq $ARGV[1] } readdir $directory) ? escaped($ARGV[1]) : held('it is alone there');`,
        dirname(path),
        neighbour,
      ),
  },
  {
    name: 'goes through the root of another process to the files of the host',
    program: ({ home, secret, victim }) =>
      perl(
        READ_ANY,
        secret,
        ...[`${victim.pid}`, '1', 'self', '2'].map(pid => `/proc/${pid}/root${home}/.ssh/id_ed25519`),
      ),
  },
  {
    name: 'climbs out of a changed root by its working directory',
    program: ({ home, secret }) =>
      perl(
        `${'chdir "..";'.repeat(3)}
        chdir '/proc/self/cwd/../../../../../../../../..';
        ${READ_ANY}`,
        secret,
        `.${home}/.ssh/id_ed25519`,
      ),
  },
];

/** The first word is what has to be in one of the files. */
const READ_ANY = `
my $wanted = shift @ARGV;
for my $path (@ARGV) {
  open(my $file, '<', $path) or next;
  local $/;
  my $text = <$file>;
  escaped($path) if defined $text && index($text, $wanted) >= 0;
}
held($!);
`;
