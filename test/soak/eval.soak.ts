import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { BatchRun } from '../../src/domain/batch/batch-run.js';
import type { EvalItem } from '../../src/domain/batch/eval-item.js';
import { writeDataset } from '../helpers/batch/eval-bench.js';
import { findEvalLeftovers } from '../helpers/batch/eval-leftovers.js';
import { createSeededRandom } from '../helpers/seeded-random.js';
import { tempDir } from '../helpers/temp.js';
import { waitFor } from '../helpers/wait-for.js';
import { createTidyCarrel } from '../helpers/workspace/test-workspace.js';
import { SEED, scaled } from './scale.js';

const KILLS = scaled(8, 2);
const TASKS = scaled(40, 8);
const ATTEMPTS = TASKS * 5;

const print = (line: string) => process.stdout.write(`${line}\n`);

function makeItems(count: number): EvalItem[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `task-${index + 1}`,
    description: 'Write "yes" to done.txt',
    base: { kind: 'files', files: { 'README.md': `${index % 5}\n` } },
    graders: [{ kind: 'command', run: 'grep -qx yes done.txt' }],
  }));
}

/** Solves some tasks, fails at some, and breaks down at some: by their names, so that every run comes out the same. */
const AGENT = `case "$CARREL_TASK_ID" in *3) echo no > done.txt;; *7) exit 3;; *) echo yes > done.txt;; esac`;

const readLines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];

it(`${ATTEMPTS} attempts with ${KILLS} kills come out as without, each exactly once`, async () => {
  const carrel = createTidyCarrel();
  const tally = join(tempDir(), 'tally');
  const wishes = [
    ...['--dataset', writeDataset(makeItems(TASKS)), '--attempts', '5', '--parallelism', '4'],
    ...['--shuffle', String(SEED), '--agent', `echo "$CARREL_TASK_ID" >> ${tally}; ${AGENT}`],
  ];
  const undisturbed = carrel.json<BatchRun>(tempDir(), 'eval', 'run', ...wishes);
  const startsBefore = readLines(tally).length;
  const out = join(tempDir(), 'results');
  const index = join(out, 'index.jsonl');
  const random = createSeededRandom(SEED);
  for (let kill = 1; kill <= KILLS; kill++) {
    const words = kill === 1 ? ['run', ...wishes, '--out', out] : ['resume', out];
    const running = carrel.start(tempDir(), 'eval', ...words);
    const wanted = readLines(index).length + 1 + Math.floor(random.next() * (ATTEMPTS / (KILLS + 1)));
    await waitFor('attempts', () => (readLines(index).length >= wanted ? true : undefined), 300_000);
    await delay(random.next() * 200);
    running.child.kill('SIGKILL');
    expect((await running).signal, `kill ${kill} at ${wanted}`).toBe('SIGKILL');
  }
  const resumed = carrel.json<BatchRun>(tempDir(), 'eval', 'resume', out);
  const attempts = readLines(index).map(line => JSON.parse(line) as BatchRun['attempts'][number]);
  print(`${KILLS} kills, ${readLines(tally).length - startsBefore} agents for ${attempts.length} attempts`);
  expect(new Set(attempts.map(keyOf)).size).toBe(ATTEMPTS);
  expect(attempts).toHaveLength(ATTEMPTS);
  expect(describe(resumed)).toEqual(describe(undisturbed));
  expect(findEvalLeftovers(carrel)).toEqual([]);
});

const keyOf = ({ taskId, attempt }: { readonly taskId: string; readonly attempt: number }): string =>
  `${taskId} ${attempt}`;

const describe = ({ status, totals, passRate, attempts }: BatchRun) => ({
  ...{ status, totals, passRate },
  outcomes: attempts.map(each => `${keyOf(each)} ${each.outcome} ${each.score}`).sort(),
});

it('1,000 attempts, eight at a time, take no more memory than the first hundreds and leave nothing', async () => {
  const carrel = createTidyCarrel();
  const out = join(tempDir(), 'results');
  const startedAt = performance.now();
  const running = carrel.start(
    ...[tempDir(), 'eval', 'run', '--dataset', writeDataset(makeItems(50)), '--attempts', '20'],
    ...['--parallelism', '8', '--agent', AGENT, '--out', out, '--json'],
  );
  const watching = watchMemory(running.child.pid as number, join(out, 'index.jsonl'));
  const { status, stdout, stderr } = await running;
  const samples = await watching;
  expect({ status, stderr: stderr.split('\n').filter(line => line.startsWith('warning')) }).toEqual({
    status: 0,
    stderr: [],
  });
  const { attempts } = JSON.parse(stdout) as BatchRun;
  expect(new Set(attempts.map(keyOf)).size).toBe(1000);
  const quarters = [0, 1, 2, 3].map(quarter =>
    median(samples.filter(({ done }) => Math.floor(done / 250) === quarter).map(({ bytes }) => bytes)),
  );
  const megabytes = quarters.map(bytes => Math.round(bytes / 1024 ** 2));
  print(`1,000 attempts in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  print(`memory by quarters of the batch: ${megabytes.join(', ')} MB`);
  expect(quarters[3]).toBeLessThan((quarters[1] as number) * 1.25);
  expect(findEvalLeftovers(carrel)).toEqual([]);
});

interface MemorySample {
  /** Attempts that were recorded. */
  readonly done: number;
  readonly bytes: number;
}

/** Until the process ends. Without pages of files that are merely mapped. */
async function watchMemory(pid: number, index: string): Promise<MemorySample[]> {
  const samples: MemorySample[] = [];
  for (;;) {
    const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'latin1') : '';
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1];
    if (kilobytes === undefined) return samples;
    samples.push({ done: readLines(index).length, bytes: Number(kilobytes) * 1024 });
    await delay(250);
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
