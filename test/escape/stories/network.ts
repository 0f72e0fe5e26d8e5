import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { requirePart } from '../../parts/required-part.js';
import { perl, readVerdict } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';

/** Only what the allowlist names is reached, and only where names lead outside. */
export function testNetwork(flavour: Flavour): void {
  testStories(flavour, 'the network', tell => {
    tell('a command reaches only allowed hosts', async fixture => {
      await withListener(async port => {
        await allow(fixture, `localhost:${port}`);
        await expectVerdict(fixture, `localhost:${port}`, 'escaped');
        await withListener(other => expectVerdict(fixture, `localhost:${other}`, 'held'));
      });
    });

    tell("a command can't reach a private address through an allowed name", async (fixture, context) => {
      const name = await findPrivateName();
      requirePart(context, name !== undefined, 'a name of this machine');
      await withListener(async port => {
        await allow(fixture, `${name}:${port}`);
        await expectVerdict(fixture, `${name}:${port}`, 'held');
      });
    });

    tell("a command can't bypass the proxy", async fixture => {
      await withListener(async port => {
        const direct = perl(CONNECT_DIRECTLY, `${port}`);
        expect(readVerdict((await fixture.inside(direct)).stdout)).toBe('held');
        const control = await fixture.host(['perl', '-e', direct.text, ...direct.args]);
        expect(readVerdict(control.stdout)).toBe('escaped');
      });
    });
  });
}

/** What a workspace may reach is fixed at creation. */
async function allow(fixture: EscapeFixture, target: string): Promise<void> {
  fixture.configure(`  allow: [${target}]\n`);
  await fixture.renew();
}

async function expectVerdict(
  fixture: EscapeFixture,
  target: string,
  verdict: 'escaped' | 'held',
): Promise<void> {
  const { stdout, stderr } = await fixture.inside(perl(CONNECT_BY_PROXY, target));
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
