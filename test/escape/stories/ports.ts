import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { findFreePorts, talk, waitForPort } from '../../helpers/network/open-test-ports.js';
import { perl, readVerdict } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';

/** The ports of the workspace lead inside, and nothing leads out through them. */
export function testPorts(flavour: Flavour): void {
  testStories(flavour, 'the ports of the workspace', tell => {
    tell("a command can't reach a port of the host through the socket of the ports", async fixture => {
      const [first = 0, second = 0] = await portsOf(fixture);
      const server = createServer(socket => socket.on('error', () => undefined).end('greetings\n'));
      // On a port of the workspace too: the host has a right to it.
      const ports = [(await findFreePorts(1))[0] ?? 0, second];
      for (const port of ports) {
        server.listen(port, '127.0.0.1');
        await once(server, 'listening');
        expect(await talk(port)).toBe('greetings\n');
        const { stdout, stderr } = await fixture.inside(perl(ASK_SOCKET, `${port}`, `${first}`));
        expect(readVerdict(stdout), `${stdout}${stderr}`).toBe('held');
        await new Promise(resolve => server.close(resolve));
      }
    });

    tell("a command can't replace the socket of the ports", async fixture => {
      const { stdout, stderr } = await fixture.inside(perl(SWAP_SOCKET));
      expect(readVerdict(stdout), `${stdout}${stderr}`).toBe('held');
    });

    tell('a command opens only the ports of its workspace on the host', async fixture => {
      const [first = 0] = await portsOf(fixture);
      const [other = 0] = await findFreePorts(1);
      const words = fixture.insideWords(perl(LISTEN_AND_ANNOUNCE, `${first}`, `${other}`));
      const running = fixture.start(fixture.carrelWords(...words));
      await waitForPort(first);
      expect(await talk(other)).toBe('ECONNREFUSED');
      expect(await talk(first)).toBe('from inside\n');
      const outcome = await running.outcome;
      expect(readVerdict(outcome.stdout), `${outcome.stdout}${outcome.stderr}`).toBe('held');
      expect(await talk(first)).toBe('ECONNREFUSED');
    });

    tell('a flood of connections from inside neither stops the host nor the next command', async fixture => {
      const [first = 0] = await portsOf(fixture);
      const { stdout, stderr, status } = await fixture.inside(perl(FLOOD));
      expect(readVerdict(stdout), `${stdout}${stderr}`).toBe('held');
      expect(status).toBe(0);
      const words = fixture.insideWords(perl(LISTEN_AND_ANNOUNCE, `${first}`, '0'));
      const running = fixture.start(fixture.carrelWords(...words));
      await waitForPort(first);
      await talk(first);
      await running.outcome;
    });
  });
}

async function portsOf(fixture: EscapeFixture): Promise<number[]> {
  const { stdout } = await fixture.carrel('ls', '--json');
  return JSON.parse(stdout)[0].ports;
}

/** Without a socket there is no verdict: the attempt would prove nothing. */
const REACH = `
$SIG{PIPE} = 'IGNORE';
sub sockets {
  opendir(my $directory, '/run/carrel/proxy') or die "no directory: $!";
  my @paths = map { "/run/carrel/proxy/$_" } grep { /[.]ports$/ } readdir $directory or die 'no socket';
  return @paths;
}
sub reach {
  for my $path (sockets()) {
    socket(my $s, 1, 1, 0) or die $!;
    return $s if connect($s, pack('S Z*', 1, $path));
  }
  return;
}
`;

/** Says what a relay could say, and what the host says to a relay, and listens for the greeting of the server. */
const ASK_SOCKET = String.raw`${REACH}
my ($port, $own) = @ARGV;
my $reached = 0;
for my $text ("$port\n", sprintf('%05d', $port), "+\n", "+\n$port\n", "$own,$port\n+\nhello\n",
              "CONNECT 127.0.0.1:$port HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://127.0.0.1:$port/ HTTP/1.0\r\n\r\n") {
  my $s = reach() or next;
  $reached++;
  syswrite($s, $text);
  shutdown($s, 1);
  my $heard = '';
  my $ready = '';
  vec($ready, fileno $s, 1) = 1;
  sysread($s, $heard, 4096) if select($ready, undef, undef, 1);
  escaped($heard) if $heard =~ /greetings/;
}
$reached > 3 ? held('nothing came back') : die 'never connected';
`;

const SWAP_SOCKET = `${REACH}
my ($path) = sockets();
escaped('removed') if unlink $path;
escaped('renamed') if rename $path, "$path.old";
escaped('linked') if symlink '/run/docker.sock', '/run/carrel/proxy/other.ports';
escaped('created') if open my $file, '>', '/run/carrel/proxy/new';
escaped('moved the directory') if rename '/run/carrel/proxy', '/run/carrel/away';
escaped('changed its mode') if chmod 0777, '/run/carrel/proxy';
held($!);
`;

/** Listens on both ports until it had the client of the first, and reports both to the host. */
const LISTEN_AND_ANNOUNCE = String.raw`${REACH}
my @doors = map {
  my ($port, $door) = $_;
  socket($door, 2, 1, 0) && setsockopt($door, 1, 2, 1) && bind($door, pack 'S n C4 x8', 2, $port, 127, 0, 0, 1) && listen($door, 9)
    or held("$port: $!");
  $door;
} @ARGV;
my $s = reach();
syswrite($s, "$ARGV[0],$ARGV[1]\n") if $s;
close $s if $s;
alarm 20;
for (1, 2) {
  accept(my $client, $doors[0]) or next;
  syswrite($client, "from inside\n");
  close $client;
}
select(undef, undef, undef, 0.3);
held('answered');
`;

const FLOOD = String.raw`${REACH}
my @kept;
for (1 .. 3000) {
  my $s = reach() or next;
  syswrite($s, '9' x 4096) if $_ % 3 == 0;
  syswrite($s, ("20000\n\n") x 50) if $_ % 3 == 1;
  push @kept, $s;
  shift @kept if @kept > 200;
}
held('still here');
`;
