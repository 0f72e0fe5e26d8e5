import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attempt } from '../../../src/domain/batch/attempt.js';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import type { EvalItem } from '../../../src/domain/batch/eval-item.js';
import type { HostState } from '../../../src/fleet/engine/host.js';
import type { RunProgress, RunSummary } from '../../../src/fleet/engine/run.js';
import { writeDataset } from '../batch/eval-bench.js';
import { type Carrel, createCarrel } from '../carrel.js';
import { tempDir } from '../temp.js';
import { waitFor } from '../wait-for.js';

export type FleetBench = ReturnType<typeof openFleetBench>;

/**
 * A fleet with its submitter. Each machine has its own state, cache and home, and each worker and batch is a process,
 * which is stopped at the end.
 */
export async function withFleetBench(
  address: string,
  use: (bench: FleetBench) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
  submitter = createCarrel(tempDir(), variables),
): Promise<void> {
  const running: Running[] = [];
  try {
    await use(openFleetBench(address, submitter, running));
  } finally {
    // The second signal stops agents that still run.
    for (let signal = 1; signal <= 2; signal++) for (const { child } of running) child.kill('SIGTERM');
    await Promise.all(running);
  }
}

type Running = ReturnType<Carrel['start']>;

function openFleetBench(address: string, submitter: Carrel, running: Running[]) {
  const cwd = submitter.home;
  const artifacts = join(tempDir(), 'blobs');
  const { key } = submitter.json<{ key: string }>(cwd, 'fleet', 'init', address, '--artifacts', artifacts);
  const on = ['--on', address];
  return {
    submitter,
    address,
    key,
    artifacts,
    /** Starts a worker that accepts everything of the submitter, and returns when it is ready. */
    startWorker: (name: string, ...args: string[]) =>
      startWorker(running, createCarrel(tempDir()), [...on, '--name', name, '--accept-key', key, ...args]),
    startWorkerOf: (carrel: Carrel, ...args: string[]) => startWorker(running, carrel, [...on, ...args]),
    /** Starts `eval run` or `eval resume` on the fleet. */
    startBatch: (...args: string[]) => {
      const batch = submitter.start(cwd, 'eval', ...args, ...on, '--json');
      running.push(batch);
      return batch;
    },
    /** Starts `run` or `task retry` on the fleet. */
    startTask: (repository: string, ...args: string[]) => {
      const task = submitter.start(repository, ...args, '--json');
      running.push(task);
      return task;
    },
    resumeHere: (run: string) => submitter.json<BatchRun>(cwd, 'eval', 'resume', run),
    hosts: () => submitter.json<{ hosts: HostState[] }>(cwd, 'fleet', 'ls', ...on).hosts,
    /** The only run; undefined before it is submitted. */
    findRun: () => submitter.json<{ runs: RunSummary[] }>(cwd, 'fleet', 'ls', ...on).runs.at(0)?.run,
    show: (run: string) => submitter.json<RunProgress>(cwd, 'fleet', 'show', run, ...on),
  };
}

export interface RunningWorker {
  readonly carrel: Carrel;
  readonly host: string;
  readonly process: Running;
}

async function startWorker(
  running: Running[],
  carrel: Carrel,
  args: readonly string[],
): Promise<RunningWorker> {
  const words = ['worker', '--allow', 'none', '--allow-root', ...args, '--json'];
  const process = carrel.start(carrel.home, ...words);
  running.push(process);
  let text = '';
  process.child.stdout?.on('data', chunk => {
    text += chunk;
  });
  const ended = process.then(({ stderr }) => {
    throw new Error(`the worker has exited: ${stderr}`);
  });
  const ready = waitFor('a worker', () => (text.trimEnd().endsWith('}') ? text : undefined));
  const { host } = JSON.parse(await Promise.race([ready, ended])) as { host: string };
  return { carrel, host, process };
}

/** What must be the same wherever an attempt was made, in the order of the dataset. */
export const essenceOf = ({ attempts }: Pick<BatchRun, 'attempts'>) =>
  attempts
    .map(({ taskId, attempt, identity, itemHash, outcome, score, patchPath, logPath }: Attempt) => ({
      ...{ taskId, attempt, identity, itemHash, outcome, score, patchPath, logPath },
    }))
    .sort((a, b) => (`${a.taskId} ${a.attempt}` < `${b.taskId} ${b.attempt}` ? -1 : 1));

/** The lines of a run's index: one for each recorded attempt. */
export const indexOf = (directory: string): Attempt[] =>
  readFileSync(join(directory, 'index.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Attempt);

/** Tasks whose agent says that it has begun, and waits until it may finish. */
export function writeWaitingTasks(count: number) {
  const directory = tempDir();
  const items: EvalItem[] = Array.from({ length: count }, (_, index) => ({
    id: `wait-${index + 1}`,
    description: 'wait',
    base: { kind: 'files', files: { 'a.txt': 'a\n' } },
    graders: [{ kind: 'command', run: 'test "$(cat made.txt)" = made' }],
  }));
  const script = join(tempDir(), 'agent.sh');
  const lines = [
    '#!/bin/sh',
    `echo $$ >> ${directory}/begun-$CARREL_TASK_ID`,
    `while [ ! -e ${directory}/go ]; do sleep 0.1; done`,
    'echo made > made.txt',
  ];
  writeFileSync(script, `${lines.join('\n')}\n`, { mode: 0o755 });
  const begun = (id: string): number => {
    const file = join(directory, `begun-${id}`);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
  };
  const dataset = writeDataset(items);
  return {
    dataset,
    words: ['--dataset', dataset, '--agent', script, '--isolation', 'none'],
    /** How often agents have begun one of the tasks. */
    begun,
    untilBegun: (number: number) =>
      waitFor(
        `${number} agents`,
        () => items.filter(({ id }) => begun(id) > 0).length >= number || undefined,
      ),
    letFinish: () => writeFileSync(join(directory, 'go'), ''),
  };
}
