import type { Attempt } from '../harness/attempt.js';
import { perl } from '../harness/program.js';

/** Servers on the host trust every connection as a program of the user's. */
export const sockets: readonly Attempt[] = [
  {
    name: 'connects to a socket of the host by its path',
    program: ({ socketPath }) =>
      perl(
        `socket(my $s, 1, 1, 0) or held($!);
        connect($s, pack('S a*', 1, $ARGV[0])) ? escaped('connected') : held($!);`,
        socketPath,
      ),
  },
  {
    name: 'connects to an abstract socket of the host',
    program: ({ abstractName }) =>
      perl(
        // Some programs, Node before 22 among them, take all bytes of the field for the name.
        String.raw`
        for my $shape ('S a*', 'S a108') {
          socket(my $s, 1, 1, 0) or held($!);
          escaped('connected') if connect($s, pack($shape, 1, "\0$ARGV[0]"));
        }
        held($!);`,
        abstractName,
      ),
  },
  {
    name: 'connects to a port on the loopback device of the host',
    program: ({ port }) =>
      perl(
        `socket(my $s, 2, 1, 0) or held($!);
        connect($s, pack('S n C4 x8', 2, $ARGV[0], 127, 0, 0, 1)) ? escaped('connected') : held($!);`,
        `${port}`,
      ),
  },
];
