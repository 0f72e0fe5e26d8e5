import { setMaxListeners } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type App, openApp } from '../../src/app.js';
import type { CarrelEvent } from '../../src/domain/event.js';
import { createCarrel } from '../helpers/carrel.js';
import { makeRepository } from '../helpers/repository.js';
import { type ServedCarrel, serveCarrel } from '../helpers/server/served-carrel.js';
import { tempDir } from '../helpers/temp.js';
import { waitFor } from '../helpers/wait-for.js';
import { scaled } from './scale.js';

const SECONDS = scaled(60);
const CLIENTS = 200;
const REQUESTS_PER_SECOND = 50;
const EVENTS_PER_SECOND = 5;

const PATHS = [
  '/healthz',
  '/api/tasks',
  '/api/developer/workflows',
  '/api/developer/worktrees',
  '/api/overview',
];

/** V8 leaves garbage alone while it has room: with little room, what is there is what is held. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=64' };

const print = (line: string) => process.stdout.write(`${line}\n`);

it(`${CLIENTS} streams and ${REQUESTS_PER_SECOND} requests a second for ${SECONDS} s: no error, no growth`, async () => {
  const carrel = createCarrel(tempDir(), SMALL_HEAP);
  const repository = makeRepository();
  const served = await serveCarrel(carrel, repository, '--port', '0');
  const app = await openApp({ environment: carrel.env, cwd: repository, recovers: false });
  onTestFinished(() => app.close());

  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  const lags: number[] = [];
  const counts = Array.from({ length: CLIENTS }, () => 0);
  const last = await app.store.events.last();
  const streams = counts.map(async (_, index) => {
    for await (const event of served.client.events({ after: last, signal: leaving.signal })) {
      counts[index] = (counts[index] ?? 0) + 1;
      lags.push(Date.now() - sentAt(event));
    }
  });
  await append(app);
  await waitFor('all clients', () => (counts.every(count => count === 1) ? true : undefined), 60_000);
  lags.length = 0;

  const memory: Memory[] = [];
  const cpuBefore = cpuSeconds(served);
  const [latencies, sent] = await Promise.all([
    sendRequests(served),
    appendSteadily(app),
    watchMemory(served, memory),
  ]);
  await waitFor(
    'the last event',
    () => (counts.every(count => count === sent + 1) ? true : undefined),
    30_000,
  );
  const cpu = cpuSeconds(served) - cpuBefore;
  leaving.abort();
  await Promise.all(streams);
  await served.stop();

  print(`the server worked for ${cpu.toFixed(1)} s of ${SECONDS} s`);
  print(`requests: ${latencies.length}, ${describe(latencies)}`);
  print(`events: ${sent} to ${CLIENTS} clients, lag ${describe(lags)}`);
  const [early, late] = [memory.slice(0, memory.length / 2), memory.slice(memory.length / 2)].map(lowest);
  print(`memory, lowest of the first and second half: ${JSON.stringify({ early, late })}`);
  expect(late?.heapMb).toBeLessThan((early?.heapMb ?? 0) * 1.2 + 5);
});

const sentAt = ({ data }: CarrelEvent): number => Number(data.sentAt);

const append = (app: App): Promise<void> =>
  app.store.events.append([
    { type: 'task.warning', repositoryId: null, workspaceId: null, data: { sentAt: Date.now() } },
  ]);

async function appendSteadily(app: App): Promise<number> {
  const count = SECONDS * EVENTS_PER_SECOND;
  for (let number = 0; number < count; number++) {
    await append(app);
    await delay(1000 / EVENTS_PER_SECOND);
  }
  return count;
}

/** Milliseconds of each. They are sent by the clock, whether or not those before are answered. */
async function sendRequests(served: ServedCarrel): Promise<number[]> {
  const start = performance.now();
  const requests = Array.from({ length: SECONDS * REQUESTS_PER_SECOND }, async (_, index) => {
    await delay(Math.max(0, start + (index * 1000) / REQUESTS_PER_SECOND - performance.now()));
    const from = performance.now();
    await get(served, PATHS[index % PATHS.length] as string);
    return performance.now() - from;
  });
  return Promise.all(requests);
}

const LONGEST_ANSWER_MS = 20_000;

async function get({ url, token }: ServedCarrel, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
  try {
    const response = await fetch(url + path, { headers, signal });
    const text = await response.text();
    expect(response.status).toBe(200);
    return text;
  } catch (error) {
    throw new Error(`no answer for ${path}`, { cause: error });
  }
}

/** User and system time, where there is /proc; its ticks are a hundredth of a second. */
function cpuSeconds({ child }: ServedCarrel): number {
  const file = `/proc/${child.pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

interface Memory {
  readonly residentMb: number;
  readonly heapMb: number;
}

async function watchMemory(served: ServedCarrel, memory: Memory[]): Promise<void> {
  for (let second = 0; second < SECONDS; second++) {
    await delay(1000);
    const text = await get(served, '/metrics');
    const read = (name: string) =>
      Math.round(Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]) / 1024 ** 2);
    memory.push({
      residentMb: read('process_resident_memory_bytes'),
      heapMb: read('carrel_heap_used_bytes'),
    });
  }
}

const lowest = (memory: readonly Memory[]): Memory => ({
  residentMb: Math.min(...memory.map(each => each.residentMb)),
  heapMb: Math.min(...memory.map(each => each.heapMb)),
});

function describe(milliseconds: readonly number[]): string {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return `median ${at(0.5)} ms, 95 % ${at(0.95)} ms, 99 % ${at(0.99)} ms, most ${at(1)} ms`;
}
