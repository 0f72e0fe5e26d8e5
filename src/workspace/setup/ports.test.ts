import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { claimPorts, portVariables } from './ports.js';

const always = async () => true;
const first = () => 0;

test('a block of ten starts at a multiple of ten inside the range', async () => {
  const ports = await claimPorts({
    range: { from: 21_003, to: 21_030 },
    taken: [],
    claim: always,
    isFree: always,
    random: first,
  });
  expect(ports).toEqual([21_010, 21_011, 21_012, 21_013, 21_014, 21_015, 21_016, 21_017, 21_018, 21_019]);
});

test('for every range a block lies within it or there is none', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(300), fc.nat(300), fc.nat(), async (from, to, chance) => {
      const request = {
        range: { from, to },
        taken: [],
        claim: always,
        isFree: always,
        random: (limit: number) => chance % limit,
      };
      const ports = await claimPorts(request).catch(error => error);
      if (!Array.isArray(ports)) {
        expect(ports.code).toBe('NO_PORTS_LEFT');
        expect(to - from).toBeLessThan(18);
        return;
      }
      expect(ports).toHaveLength(10);
      expect(ports[0] % 10).toBe(0);
      expect(ports[0]).toBeGreaterThanOrEqual(from);
      expect(ports[9]).toBeLessThanOrEqual(to);
    }),
  );
});

test('skips blocks that are taken, in use, or claimed first by another process', async () => {
  const ports = await claimPorts({
    range: { from: 22_000, to: 22_039 },
    taken: [22_000],
    claim: async port => port !== 22_010,
    isFree: async port => port !== 22_025,
    random: first,
  });
  expect(ports[0]).toBe(22_030);
});

test('the search starts at a random block and wraps around', async () => {
  const asked: number[] = [];
  const claim = async (port: number) => asked.push(port) === 4;
  await claimPorts({
    range: { from: 23_000, to: 23_039 },
    taken: [],
    claim,
    isFree: always,
    random: () => 2,
  });
  expect(asked).toEqual([23_020, 23_030, 23_000, 23_010]);
});

test('a block that was busy for a moment is checked again', async () => {
  let looks = 0;
  const isFree = async () => ++looks > 10;
  const ports = await claimPorts({
    range: { from: 24_000, to: 24_009 },
    taken: [],
    claim: always,
    isFree,
    random: first,
  });
  expect(ports[0]).toBe(24_000);
});

test('when no block is left the error names the range', async () => {
  const request = { range: { from: 25_000, to: 25_009 }, taken: [25_000], claim: always, random: first };
  await expect(claimPorts(request)).rejects.toMatchObject({
    code: 'NO_PORTS_LEFT',
    details: { from: 25_000, to: 25_009 },
  });
});

test.for(['127.0.0.1', '0.0.0.0', '::', '::1'])(
  'a port with a listener at %s is not allocated',
  async (host, { skip }) => {
    const server = await listenSomewhere(host);
    if (!server) return skip(`this machine has no address ${host}`);
    const used = (server.address() as { port: number }).port;
    const block = Math.floor(used / 10) * 10;
    const request = { range: { from: block, to: block + 9 }, taken: [], claim: always, random: first };
    await expect(claimPorts(request)).rejects.toMatchObject({ code: 'NO_PORTS_LEFT' });
  },
);

test('sixty-four searches at once in a range of sixty-four blocks each get a different one', async () => {
  const claimed = new Set<number>();
  const claim = async (port: number) => !claimed.has(port) && Boolean(claimed.add(port));
  const random = (limit: number) => Math.floor(Math.random() * limit);
  const range = { from: 26_000, to: 26_639 };
  const blocks = await Promise.all(
    Array.from({ length: 64 }, () => claimPorts({ range, taken: [], claim, isFree: always, random })),
  );
  expect(new Set(blocks.map(ports => ports[0])).size).toBe(64);
});

test('commands see the first port, each port and the range', () => {
  const ports = Array.from({ length: 10 }, (_, index) => 20_000 + index);
  expect(portVariables(ports)).toEqual({
    CARREL_PORT: '20000',
    ...Object.fromEntries(ports.map((port, index) => [`CARREL_PORT_${index}`, `${port}`])),
    CARREL_PORTS: '20000-20009',
  });
  expect(portVariables([])).toEqual({});
});

/** On a port that the system chooses, with a whole block below 65,536 around it; undefined without such an address. */
async function listenSomewhere(host: string): Promise<Server | undefined> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen({ host, port: 0 });
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isListening) return undefined;
  return (server.address() as { port: number }).port < 65_530 ? server : listenSomewhere(host);
}
