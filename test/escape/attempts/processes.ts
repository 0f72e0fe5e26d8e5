import type { EscapeBait } from '../../helpers/escape/escape-bait.js';
import type { Attempt } from '../harness/attempt.js';
import { perl } from '../harness/program.js';

/** Other processes of the same user are there for the taking when they can be seen. */
export const processes: readonly Attempt[] = [
  {
    name: 'ends a process of the host',
    program: ({ victim }) => perl(`kill('KILL', $ARGV[0]) ? escaped('killed') : held($!);`, `${victim.pid}`),
    traces: ({ victim }) => (victim.isAlive() ? [] : ['the process was ended']),
  },
  {
    name: "reads a secret in the environment of the host's processes, its own launcher among them",
    program: bait => perl(SEARCH_PROCESSES, backwards(bait)),
  },
  {
    name: 'reads a secret in its own environment',
    program: bait =>
      perl(
        `my $wanted = reverse $ARGV[0];
        for my $name (keys %ENV) { escaped($name) if index($ENV{$name}, $wanted) >= 0 }
        held('not found');`,
        backwards(bait),
      ),
  },
];

/** Those who start the program have its arguments in theirs, so what is looked for is not said outright. */
const backwards = ({ secret }: EscapeBait): string => [...secret].reverse().join('');

const SEARCH_PROCESSES = String.raw`
my $wanted = reverse $ARGV[0];
opendir(my $list, '/proc') or held($!);
for my $directory (map { "/proc/$_" } grep { /^\d+$/ } readdir $list) {
  for my $name (qw(environ cmdline)) {
    open(my $file, '<', "$directory/$name") or next;
    local $/;
    my $text = <$file>;
    escaped("$directory/$name") if defined $text && index($text, $wanted) >= 0;
  }
}
held('not found');
`;
