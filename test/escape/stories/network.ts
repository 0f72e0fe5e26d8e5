import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { expect } from 'vitest';
import type { EscapeDesk } from '../../helpers/escape-desk.js';
import type { Flavour } from '../../helpers/escape-flavour.js';
import { requirePart } from '../../helpers/required-part.js';
import { perl, readVerdict } from '../program.js';
import { testStories } from '../test-story.js';

/** Only what the allow-list names is reached, and only where names lead outside. */
export function testNetwork(flavour: Flavour): void {
  testStories(flavour, 'the network', tell => {
    tell('nobody reaches a host that is not allowed, and one that is can be reached', async desk => {
      await withListener(async port => {
        await allow(desk, `localhost:${port}`);
        await expectVerdict(desk, `localhost:${port}`, 'escaped');
        await withListener(other => expectVerdict(desk, `localhost:${other}`, 'held'));
      });
    });

    tell('nobody reaches a private address by a name that is allowed', async (desk, context) => {
      const name = await findPrivateName();
      requirePart(context, name !== undefined, 'a name besides localhost that leads to this machine');
      await withListener(async port => {
        await allow(desk, `${name}:${port}`);
        await expectVerdict(desk, `${name}:${port}`, 'held');
      });
    });

    tell('nobody gets out past the proxy', async desk => {
      await withListener(async port => {
        const direct = perl(CONNECT_DIRECTLY, `${port}`);
        expect(readVerdict((await desk.inside(direct)).stdout)).toBe('held');
        const control = await desk.host(['perl', '-e', direct.text, ...direct.args]);
        expect(readVerdict(control.stdout)).toBe('escaped');
      });
    });
  });
}

/** What a workspace may reach is settled when it is made. */
async function allow(desk: EscapeDesk, target: string): Promise<void> {
  desk.configure(`  allow: [${target}]\n`);
  await desk.renew();
}

async function expectVerdict(desk: EscapeDesk, target: string, verdict: 'escaped' | 'held'): Promise<void> {
  const { stdout, stderr } = await desk.inside(perl(CONNECT_BY_PROXY, target));
  expect(readVerdict(stdout), `${stdout}${stderr}`).toBe(verdict);
}

/** The listener greets; only who really is connected hears it. */
const CONNECT_BY_PROXY = String.raw`
my ($host, $port) = ($ENV{https_proxy} // $ENV{HTTPS_PROXY} // '') =~ m{^http://([\d.]+):(\d+)} or held('no proxy');
socket(my $s, 2, 1, 0) or held($!);
connect($s, pack('S n C4 x8', 2, $port, split /\./, $host)) or held("proxy: $!");
syswrite($s, "CONNECT $ARGV[0] HTTP/1.1\r\nHost: $ARGV[0]\r\n\r\n");
my $text = '';
while (sysread($s, my $part, 4096)) { $text .= $part; last if $text =~ /greetings/ }
$text =~ /greetings/ ? escaped($ARGV[0]) : held($text =~ s/\s+/ /gr);
`;

const CONNECT_DIRECTLY = `
for my $address ([127, 0, 0, 1], [127, 0, 1, 1], [10, 0, 2, 2], [172, 17, 0, 1], [192, 168, 0, 1]) {
  socket(my $s, 2, 1, 0) or held($!);
  $SIG{ALRM} = sub { held('no answer') };
  alarm 2;
  escaped("@$address") if connect($s, pack('S n C4 x8', 2, $ARGV[0], @$address));
}
held($!);
`;

async function withListener(use: (port: number) => Promise<void>): Promise<void> {
  const server: Server = createServer(socket => socket.on('error', () => undefined).end('greetings\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use((server.address() as { port: number }).port);
  } finally {
    server.close();
  }
}

/** Most machines know their own name. */
async function findPrivateName(): Promise<string | undefined> {
  for (const name of [hostname(), 'localhost.localdomain', 'ip6-localhost']) {
    const found = await lookup(name).catch(() => undefined);
    if (found && /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|::1$)/.test(found.address)) return name;
  }
  return undefined;
}
