import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { flavours } from '../helpers/flavours.js';

type Entry = Readonly<Record<string, unknown>> & { readonly event: string };
interface Verdict {
  readonly line: string;
  readonly findings: readonly string[];
  readonly hasPassed: boolean;
}

async function judge(
  entries: readonly Entry[],
  held: readonly string[] = [],
  leftovers: readonly string[] = [],
) {
  const { judge } = await import(resolve(import.meta.dirname, 'leases/verdict.mjs'));
  return judge(entries, { held: new Set(held), leftovers }) as Verdict;
}

const handed = (lease: string, slot: string, pid = 1): Entry => ({ event: 'handed', lease, slot, pid });

const SOAKS = flavours(
  { leases: 10, kills: 1, line: /^soak: [12]\d leases, 1 kills, 0 double/ },
  { leases: 30, kills: 3, line: /^soak: [34]\d leases, 3 kills, 0 double/ },
);

it.each(SOAKS)(
  'a short soak of $leases leases ends clean',
  async ({ leases, kills, line }) => {
    const counts = ['--leases', String(leases), '--kills', String(kills)];
    const options = [...counts, '--slots', '4', '--minutes', '5', '--seed', '7'];
    const script = resolve(import.meta.dirname, '../../scripts/soak.mjs');
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const child = spawn(process.execPath, [script, ...options], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect(stdout, stderr).toMatch(line);
    expect(stdout).toMatch(/ 0 double hand-outs, 0 leaks, 0 lost, drained clean\n$/);
    expect(status).toBe(0);
  },
  300_000,
);

it('the verdict counts a slot that two have at once', async () => {
  const { line, hasPassed } = await judge([handed('a', 's'), handed('b', 's', 2)]);
  expect(line).toBe('soak: 2 leases, 0 kills, 1 double hand-outs, 0 leaks, 0 lost, drained clean');
  expect(hasPassed).toBe(false);
});

it.each([
  { event: 'releasing', lease: 'a', slot: 's', work: 'keep' },
  { event: 'killing', target: 1, pid: 9 },
  { event: 'leaving', lease: 'z', pid: 1 },
])('the verdict knows that a hand-out ended by $event', async end => {
  const { hasPassed } = await judge([handed('a', 's'), end, handed('b', 's', 2)]);
  expect(hasPassed).toBe(true);
});

it('the verdict misses work that no snapshot has, unless its holder gave it up', async () => {
  const work = (lease: string, id: string): Entry => ({ event: 'work', lease, id, what: 'a file' });
  const entries = [
    work('a', '1'),
    work('a', '2'),
    work('b', '3'),
    { event: 'releasing', lease: 'b', slot: 's', work: 'discard' },
    work('c', '4'),
    { event: 'killing', target: 1, pid: 9 },
  ];
  const { line, findings } = await judge(entries, ['1']);
  expect(line).toContain('2 lost');
  expect(findings).toEqual([
    'lost: a file of a is in no snapshot (2)',
    'lost: a file of c is in no snapshot (4)',
  ]);
});

it('the verdict counts leaks, failures and what was not there before', async () => {
  const entries: Entry[] = [
    { event: 'leak', lease: 'a', slot: 's', what: 'file: x is there' },
    { event: 'failure', pid: 3, what: 'it broke' },
    { event: 'died', pid: 9, target: 4, what: 'ended with 1' },
  ];
  const { line, findings } = await judge(entries, [], ['new: cache: x']);
  expect(line).toBe('soak: 0 leases, 0 kills, 0 double hand-outs, 1 leaks, 0 lost, 2 failures, 1 leftovers');
  expect(findings).toHaveLength(4);
});
