import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, type TestContext } from 'vitest';
import { withBait } from '../../helpers/escape/escape-bait.js';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { findByArgument } from '../../helpers/escape/escape-processes.js';
import { programWords } from '../../helpers/escape/escape-tools.js';
import type { EscapeFixture, Started } from '../../helpers/escape/escape-workspace.js';
import { childrenOf } from '../../helpers/machine/processes.js';
import { waitFor } from '../../helpers/wait-for.js';
import { requireProgram } from '../../parts/required-part.js';
import { perl, readVerdict, shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';
import { STORY_MS } from './story-limit.js';

/** `sandbox.network: full` is a network, and not this machine's. */
export function testOwnNetwork(flavour: Flavour): void {
  testStories(
    flavour,
    'its own network',
    tell => {
      if (!mayTunnel(flavour)) return tell('without the right to a tunnel nothing is run', expectRefused);

      tell(
        "a command can't reach the loopback, an abstract socket or Carrel's own server",
        async (fixture, context) => {
          await openNetwork(fixture, context);
          const server = await startServer(fixture);
          await withBait(fixture, async bait => {
            const program = perl(CONNECT, bait.abstractName, `${bait.port}`, `${server.port}`);
            const inside = await fixture.inside(program);
            expect(readVerdict(inside.stdout), inside.stdout).toBe('held');
            const control = await fixture.host(programWords(program));
            expect(readVerdict(control.stdout), 'the control').toBe('escaped');
          });
          server.started.child.kill('SIGKILL');
          await server.started.outcome;
        },
      );

      // Engines have their own network, in which this machine is the gateway; see the guide.
      if (flavour.runtime === 'podman') return;

      tell("a command can't reach a service that listens on all addresses of this machine", async fixture => {
        const listener = createServer(socket => socket.destroy()).listen(0, '0.0.0.0');
        await once(listener, 'listening');
        const { port } = listener.address() as { port: number };
        const own = Object.values(networkInterfaces()).flatMap(each => each ?? []);
        const addresses = own.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
        const program = perl(
          CONNECT_EACH,
          `${port}`,
          ...addresses,
          '10.0.2.2',
          '10.0.2.3',
          '169.254.169.254',
        );
        const inside = await fixture.inside(program);
        expect(readVerdict(inside.stdout), inside.stdout).toBe('held');
        const control = await fixture.host(programWords(program));
        expect(readVerdict(control.stdout), 'the control').toBe('escaped');
        listener.close();
      });

      tell('what carries its packets ends when Carrel is killed', async fixture => {
        const running = fixture.start(
          fixture.carrelWords(...fixture.insideWords(shell('echo READY; sleep 300'))),
        );
        await waitFor('the command', () => (running.printed().includes('READY') ? true : undefined));
        const pid = running.child.pid as number;
        const children = childrenOf(pid).map(line => Number.parseInt(line, 10));
        const carriers = findByArgument('tap0').filter(each => children.includes(each));
        expect(carriers).toHaveLength(1);
        running.child.kill('SIGKILL');
        await running.outcome;
        const left = () => findByArgument('tap0').filter(each => carriers.includes(each));
        await waitFor('the end of the carrier', () => (left().length === 0 ? true : undefined));
      });
    },
    STORY_MS,
  );
}

/** Users other than root need access to a device; sandbox-network.test.ts provides one on a separate machine. */
const mayTunnel = ({ runtime, uid }: Flavour): boolean =>
  runtime === 'podman' || uid === undefined || (statSync('/dev/net/tun').mode & 0o006) === 0o006;

async function expectRefused(fixture: EscapeFixture): Promise<void> {
  fixture.configure('  network: full\n');
  const up = await fixture.carrel('up', 'b', '--isolation', 'full', '--strict', '--json');
  fixture.configure('');
  expect(JSON.parse(up.stdout).error.code).toBe('OWN_NETWORK_UNAVAILABLE');
  expect((await fixture.carrel('exec', 'b', '--', 'true')).status).toBe(5);
}

async function openNetwork(fixture: EscapeFixture, context: TestContext): Promise<void> {
  if (fixture.flavour.runtime === 'bubblewrap') requireProgram(context, 'slirp4netns');
  fixture.configure('  network: full\n');
  await fixture.renew();
}

async function startServer(fixture: EscapeFixture): Promise<{ port: number; started: Started }> {
  const started = fixture.start(fixture.carrelWords('serve', '--port', '0', '--json'));
  const text = await waitFor('the server', () =>
    /"port"/.test(started.printed()) ? started.printed() : undefined,
  );
  return { port: Number(/"port": ?(\d+)/.exec(text)?.[1]), started };
}

const CONNECT = String.raw`
my ($name, @ports) = @ARGV;
socket(my $u, 1, 1, 0) or held($!);
escaped('abstract') if connect($u, pack('S a*', 1, "\0$name"));
my @gateways;
open(my $routes, '<', '/proc/net/route');
while (<$routes>) { my @parts = split; push @gateways, [unpack('C4', pack('V', hex $parts[2]))] if hex $parts[2] }
for my $port (@ports) {
  for my $address ([127, 0, 0, 1], [10, 0, 2, 2], [10, 0, 2, 3], [169, 254, 1, 1], [169, 254, 1, 2], @gateways) {
    socket(my $s, 2, 1, 0) or next;
    $SIG{ALRM} = sub { die };
    my $reached = eval { alarm 1; connect($s, pack('S n C4 x8', 2, $port, @$address)) };
    alarm 0;
    escaped("@$address $port") if $reached;
  }
}
held('nothing');
`;

const CONNECT_EACH = String.raw`
my ($port, @addresses) = @ARGV;
for my $address (@addresses) {
  socket(my $s, 2, 1, 0) or next;
  $SIG{ALRM} = sub { die };
  my $reached = eval { alarm 1; connect($s, pack('S n C4 x8', 2, $port, split /\./, $address)) };
  alarm 0;
  escaped($address) if $reached;
}
held('nothing');
`;
