import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, realpathSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { afterEach, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { flavours, sampleOf } from '../../../../test/helpers/flavours.js';
import {
  type Ended,
  ended,
  type InsideOptions,
  startInside,
} from '../../../../test/helpers/network/closed-network.js';
import { onlyPrograms } from '../../../../test/helpers/network/only-programs.js';
import {
  findFreePorts,
  openTestPorts,
  type TestPorts,
  talk,
  waitForPort,
} from '../../../../test/helpers/network/open-test-ports.js';
import { waitFor } from '../../../../test/helpers/wait-for.js';
import { requireBubblewrap } from '../../../../test/parts/bubblewrap.js';
import { requireProgram } from '../../../../test/parts/required-part.js';

/** Echoes on each `host:port` of its arguments, until standard input ends. */
const ECHO = `
const net = require('node:net');
for (const place of process.argv.slice(1)) {
  const [, host, port] = /^(.*):(\\d+)$/.exec(place);
  net.createServer({ allowHalfOpen: true }, socket => socket.on('error', () => {}).pipe(socket)).listen(port, host);
}
process.stdin.on('end', () => process.exit(3)).resume();`;

let stopEcho: () => Promise<Ended> = async () => Promise.reject(new Error('there is none'));
afterEach(() => stopEcho().catch(() => undefined));

function startEcho(forwarded: TestPorts, places: readonly string[], options: InsideOptions = {}): void {
  const seen = [dirname(realpathSync(process.execPath)), ...(options.seen ?? [])];
  const command = forwarded.wrap([process.execPath, '-e', ECHO, ...places]);
  const child = startInside(forwarded, command, { ...options, seen });
  const result = ended(child);
  stopEcho = () => {
    child.stdin?.end();
    return result;
  };
}

describe.each(flavours<'perl' | 'python3' | 'node'>('perl', 'python3', 'node'))(
  'ports by the relay in %s',
  relay => {
    function prepare(context: TestContext): InsideOptions {
      requireBubblewrap(context);
      if (relay !== 'node') requireProgram(context, relay);
      return onlyPrograms(['sh', relay]) ?? {};
    }

    test.for(sampleOf(['127.0.0.1', '0.0.0.0', '::1', '::'], '127.0.0.1'))(
      'a server on %s inside answers on loopback while it listens',
      async (host, context) => {
        const options = prepare(context);
        const forwarded = await openTestPorts();
        const [port = 0, silent = 0] = forwarded.ports;
        expect(await talk(port, 'hello')).toBe('ECONNREFUSED');
        startEcho(forwarded, [`${host}:${port}`], options);
        await waitForPort(port);
        expect(await talk(port, 'hello')).toBe('hello');
        expect(await Promise.all(Array.from({ length: 20 }, (_, at) => talk(port, `client ${at}`)))).toEqual(
          Array.from({ length: 20 }, (_, at) => `client ${at}`),
        );
        expect(await talk(silent)).toBe('ECONNREFUSED');
        expect(await stopEcho()).toMatchObject({ status: 3, stderr: '' });
        await forwarded.close();
        expect(await talk(port)).toBe('ECONNREFUSED');
        expect(readdirSync(forwarded.place.proxyDir)).toEqual([]);
      },
    );

    test('a port of the sandbox that is not in the list stays closed', async context => {
      const options = prepare(context);
      const [mine = 0, other = 0] = await findFreePorts(2);
      const forwarded = await openTestPorts({ ports: [mine] });
      startEcho(forwarded, [`127.0.0.1:${other}`, `127.0.0.1:${mine}`], options);
      await waitForPort(mine);
      expect(await talk(other)).toBe('ECONNREFUSED');
    });

    test('the relay connects to no port outside of its list, even when the host asks for it', async context => {
      const options = prepare(context);
      const [mine = 0, other = 0] = await findFreePorts(2);
      const forwarded = await openTestPorts({ ports: [mine, other] });
      const honest = { ...forwarded.relayed, numbers: [mine] };
      const { relayCommand } = await import('../relay/relay.js');
      const wrap = (command: readonly string[]) => relayCommand({ ports: honest }, command);
      startEcho({ ...forwarded, wrap }, [`127.0.0.1:${other}`, `127.0.0.1:${mine}`], options);
      await waitForPort(mine);
      // A process inside announces the other port, and leaves its clients to the relay.
      const announcer = connect(forwarded.socketPath);
      announcer.on('error', () => undefined);
      await once(announcer, 'connect');
      announcer.write(`${mine},${other}\n`);
      announcer.on('data', () => announcer.destroy());
      await waitForPort(other);
      expect(await talk(other, 'hello')).toBe('ECONNRESET');
      expect(await talk(mine, 'hello')).toBe('hello');
    });

    test('transfers large data in both directions unchanged, also to a slow client', async context => {
      const options = prepare(context);
      const forwarded = await openTestPorts();
      const [port = 0] = forwarded.ports;
      startEcho(forwarded, [`127.0.0.1:${port}`], options);
      await waitForPort(port);
      const bytes = randomBytes(4 * 1024 * 1024);
      const slow = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
      onTestFinished(() => void slow.destroy());
      slow.end(bytes);
      expect(await talk(port, 'meanwhile')).toBe('meanwhile');
      const hash = createHash('sha256');
      for await (const chunk of slow) hash.update(chunk);
      expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
    });
  },
);

test('only 127.0.0.1 of this machine listens', async context => {
  requireBubblewrap(context);
  const forwarded = await openTestPorts();
  const [port = 0] = forwarded.ports;
  startEcho(forwarded, [`0.0.0.0:${port}`]);
  await waitForPort(port);
  const addresses = Object.values(networkInterfaces()).flatMap(each => each ?? []);
  for (const { address, internal } of addresses.filter(each => !each.address.startsWith('fe80'))) {
    if (internal && address === '127.0.0.1') continue;
    const socket = connect({ host: address, port });
    const [error] = await once(socket, 'error');
    expect(error.code, address).toBe('ECONNREFUSED');
  }
});

test('a port that another program has is reported once, and forwarded when it is free again', async context => {
  requireBubblewrap(context);
  const [port = 0, other = 0] = await findFreePorts(2);
  const stranger = createServer(socket => socket.end('stranger')).listen(port, '127.0.0.1');
  await once(stranger, 'listening');
  const forwarded = await openTestPorts({ ports: [port, other] });
  startEcho(forwarded, [`127.0.0.1:${port}`, `127.0.0.1:${other}`]);
  await waitForPort(other);
  expect(await waitFor('the report', () => forwarded.taken[0])).toBe(port);
  expect(await talk(port)).toBe('stranger');
  stranger.close();
  await once(stranger, 'close');
  await waitForPort(port);
  expect(await talk(port, 'hello')).toBe('hello');
  expect(forwarded.taken).toEqual([port]);
});

test('a second forwarder of the same servers reports nothing, and takes over', async () => {
  const first = await openTestPorts({ limits: IMPATIENT, isShared: async () => true });
  const { place, ports } = first;
  const [port = 0] = ports;
  const second = await openTestPorts({
    place,
    ports,
    limits: IMPATIENT,
    id: 'op_two',
    isShared: async () => true,
  });
  await offer(first, `${port}\n`);
  await waitForPort(port);
  await offer(second, `${port}\n`);
  await first.close();
  await waitForPort(port);
  expect([...first.taken, ...second.taken]).toEqual([]);
});

describe('a process inside that makes offers itself', () => {
  test('opens no other port than those of the workspace', async () => {
    const [mine = 0, other = 0] = await findFreePorts(2);
    const forwarded = await openTestPorts({ ports: [mine], limits: IMPATIENT });
    await offer(forwarded, `${other},${mine},0,-1,1e3,22,65536,0x50\n`);
    await waitForPort(mine);
    expect(await talk(other)).toBe('ECONNREFUSED');
  });

  test('connects to nothing: its data reaches a client or is dropped', async () => {
    const forwarded = await openTestPorts();
    let reached = 0;
    const service = createServer(() => reached++).listen(0, '127.0.0.1');
    onTestFinished(() => void service.close());
    await once(service, 'listening');
    const { port } = service.address() as { port: number };
    const tries = [
      `+\n`,
      `${port}`,
      `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`,
      `GET http://127.0.0.1:${port}/\n`,
    ];
    for (const text of tries) {
      const socket = await offer(forwarded, text);
      socket.end();
      await closed(socket);
      expect(socket.bytesRead).toBe(0);
    }
    expect(reached).toBe(0);
  });

  test('cannot fill the memory or the connections of the host', async () => {
    const forwarded = await openTestPorts({ limits: { ...IMPATIENT, connections: 8 } });
    const endless = await offer(forwarded, '1'.repeat(1024 * 1024));
    await closed(endless);
    const flood = await Promise.all(Array.from({ length: 64 }, () => offer(forwarded, '')));
    await waitFor('most to be closed', () => (flood.filter(isOpen).length <= 4 ? true : undefined));
    for (const socket of flood) socket.destroy();
    const [port = 0] = forwarded.ports;
    await Promise.all(flood.map(closed));
    // The relay tries again as well, until the host has noticed.
    do await offer(forwarded, `${port}\n`);
    while ((await talk(port)) === 'ECONNREFUSED');
  });

  test('keeps a client no longer than the limit, and not more clients than the limit', async () => {
    const forwarded = await openTestPorts({ limits: { ...IMPATIENT, connections: 8 } });
    const [port = 0] = forwarded.ports;
    // It takes clients and never connects them.
    await offer(forwarded, `${port}\n`);
    await waitForPort(port);
    const results = await Promise.all(Array.from({ length: 30 }, () => talk(port, 'hello')));
    expect(new Set(results)).toEqual(new Set(['ECONNRESET']));
  });

  test('sends a client what it likes, as a server could, only after it was given one', async () => {
    const forwarded = await openTestPorts();
    const [port = 0] = forwarded.ports;
    const socket = await offer(forwarded, `${port}\n`);
    socket.once('data', given => {
      expect(given.toString()).toBe(String(port).padStart(5, '0'));
      socket.end('+\nhello');
    });
    for (;;) {
      const heard = await talk(port);
      if (heard === 'ECONNREFUSED') continue;
      expect(heard).toBe('hello');
      break;
    }
  });
});

/** Connects as a process inside could, and sends a text. */
async function offer({ socketPath }: TestPorts, text: string): Promise<Socket> {
  const socket = connect({ path: socketPath, allowHalfOpen: false });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.resume();
  if (text) socket.write(text);
  return socket;
}

const isOpen = (socket: Socket): boolean => !socket.destroyed;
const closed = (socket: Socket): Promise<true> =>
  waitFor('its end', () => (socket.closed ? true : undefined));

/** No relay answers here. */
const IMPATIENT = { connectMs: 200 };
