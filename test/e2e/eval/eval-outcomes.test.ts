import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Attempt } from '../../../src/domain/batch/attempt.js';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import type { EvalItem } from '../../../src/domain/batch/eval-item.js';
import { writeDataset } from '../../helpers/batch/eval-bench.js';
import { type Carrel, createCarrel, useRealProcesses } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { findByWord } from '../../helpers/machine/processes.js';
import { mountSmallDisk } from '../../helpers/machine/small-disk.js';
import { writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { describeRefusal } from '../../helpers/workspace/refusal.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

// What goes wrong in one attempt is that attempt's outcome, in time, and the others go on.

const task = (id: string, more: Partial<EvalItem> = {}): EvalItem => ({
  id,
  description: 'Write "yes" to done.txt',
  base: { kind: 'files', files: { 'README.md': 'hello\n' } },
  graders: [{ kind: 'command', name: 'check', run: 'test "$(cat done.txt)" = yes' }],
  ...more,
});

const told = ({ attempts }: BatchRun): Record<string, Pick<Attempt, 'outcome' | 'message' | 'retries'>> =>
  Object.fromEntries(
    attempts.map(({ taskId, outcome, message, retries }) => [taskId, { outcome, message, retries }]),
  );

test('an agent, a setup command and a grader that hang are killed, and the rest continues', () => {
  const begun = tempDir();
  const seconds = `1${Date.now()}`;
  const hang = (name: string) => `: > ${join(begun, name)}; exec sleep ${seconds}`;
  const dataset = writeDataset([
    task('agent', { timeout: '500ms' }),
    task('setup', { setup: ['true', hang('setup')], setupTimeout: '500ms' }),
    task('grader', {
      graders: [{ kind: 'command', name: 'slow', run: hang('grader'), timeout: '500ms' }],
    }),
    task('fine', { setup: ['echo prepared > prepared.txt'] }),
  ]);
  const agent = `if [ "$CARREL_TASK_ID" = agent ]; then ${hang('agent')}; fi; echo yes > done.txt`;
  const words = ['--dataset', dataset, '--agent', agent, '--parallelism', '2'];
  const run = createTidyCarrel().json<BatchRun>(tempDir(), 'eval', 'run', ...words);
  expect(told(run)).toEqual({
    agent: { outcome: 'agent-timeout', message: 'it was stopped after 500ms', retries: 0 },
    setup: {
      outcome: 'infrastructure',
      message: `the setup command ${JSON.stringify(hang('setup'))} did not finish within 500ms; expected 0`,
      retries: 2,
    },
    grader: {
      outcome: 'grader-error',
      message: 'slow could not grade the attempt: it did not finish within 500ms',
      retries: 0,
    },
    fine: { outcome: 'passed', message: null, retries: 0 },
  });
  expect(run).toMatchObject({ totals: { passed: 1, failed: 1, errors: 2, cancelled: 0 } });
  expect(readdirSync(begun).sort()).toEqual(['agent', 'grader', 'setup']);
  expect(findByWord(seconds)).toEqual([]);
});

thoroughTest(
  'an agent whose .gitattributes asks for an encoding that its files lack is graded, not excused',
  () => {
    const dataset = writeDataset([task('unknown'), task('wrong'), task('fails')]);
    const agent = [
      'echo yes > done.txt',
      `case $CARREL_TASK_ID in
      unknown) echo "*.txt working-tree-encoding=NONSENSE" > .gitattributes;;
      wrong) echo "x.txt working-tree-encoding=UTF-16" > .gitattributes; echo raw > x.txt;;
      fails) echo "* working-tree-encoding=UTF-16" > .gitattributes; echo no > done.txt;;
    esac`,
    ].join('; ');
    const words = ['--dataset', dataset, '--agent', agent, '--parallelism', '2'];
    const run = createTidyCarrel().json<BatchRun>(tempDir(), 'eval', 'run', ...words);
    expect(told(run)).toMatchObject({
      unknown: { outcome: 'passed', retries: 0 },
      wrong: { outcome: 'passed', retries: 0 },
      fails: { outcome: 'failed', retries: 0 },
    });
    expect(run.attempts[0]?.findings).toEqual([expect.stringContaining('.gitattributes')]);
  },
);

thoroughTest('results that are gone from the index are found in the files of the attempts', () => {
  const carrel = createTidyCarrel();
  const here = tempDir();
  const dataset = writeDataset([task('one'), task('two'), task('three')]);
  // As an editor or a program that synchronises files does it.
  const replace = `for file in ${carrel.stateDir}/runs/*/index.jsonl; do : > "$file.new"; mv "$file.new" "$file"; done`;
  const agent = `echo yes > done.txt; echo x >> ${here}/tally; ${only('three', replace)}`;
  const run = carrel.json<BatchRun>(here, 'eval', 'run', '--dataset', dataset, '--agent', agent);
  expect(run).toMatchObject({ status: 'finished', totals: { passed: 3 } });
  const index = join(run.directory, 'index.jsonl');
  rmSync(index);
  expect(carrel.json(here, 'eval', 'show', 'latest')).toMatchObject({
    status: 'finished',
    totals: { passed: 3 },
  });
  const resumed = carrel.run(here, 'eval', 'resume', 'latest');
  expect(resumed.stderr).toContain(`warning: 3 results were missing from ${index}`);
  expect(readFileSync(index, 'utf8').trim().split('\n')).toHaveLength(3);
  expect(readFileSync(join(here, 'tally'), 'utf8')).toBe('x\nx\nx\n');
});

const FREE_DISK = 'workspace:\n  limits:\n    freeDisk: 0b\n';

function createCarrelOn(variable: 'CARREL_CACHE_DIR' | 'CARREL_STATE_DIR', directory: string): Carrel {
  const home = tempDir();
  writeFiles(home, { 'config/carrel/config.yaml': FREE_DISK });
  return createCarrel(home, { [variable]: directory });
}

const only = (id: string, command: string) => `if [ "$CARREL_TASK_ID" = ${id} ]; then ${command}; fi`;

thoroughTest(
  'an agent that fills the disk it works on is one outcome, and the next ones have room',
  context => {
    const disk = mountSmallDisk(context, '8m');
    const carrel = createCarrelOn('CARREL_CACHE_DIR', disk.path);
    const agent = `${only('greedy', 'cat /dev/zero > large.bin')}; echo yes > done.txt`;
    const dataset = writeDataset([task('greedy'), task('next'), task('last')]);
    const words = ['--dataset', dataset, '--agent', agent, '--isolation', 'worktree'];
    const run = carrel.json<BatchRun>(tempDir(), 'eval', 'run', ...words);
    const { greedy, ...others } = told(run);
    expect(greedy).toMatchObject({ outcome: 'infrastructure' });
    expect(greedy?.message).toMatch(/no space left|No space left/i);
    expect(others).toMatchObject({ next: { outcome: 'passed' }, last: { outcome: 'passed' } });
  },
);

thoroughTest('a full disk stops the batch, which continues when there is space', context => {
  // What was not settled is tried again when the process that tried has ended.
  useRealProcesses();
  const disk = mountSmallDisk(context, '4m');
  const carrel = createCarrelOn('CARREL_STATE_DIR', disk.path);
  const filling = join(disk.path, 'filling');
  const freed = join(carrel.home, 'freed');
  const fill = `if [ ! -f ${freed} ]; then cat /dev/zero > ${filling}; seq 20000; fi`;
  const dataset = writeDataset([task('first'), task('greedy'), task('last')]);
  const agent = `${only('greedy', fill)}; echo yes > done.txt`;
  const words = ['--dataset', dataset, '--agent', agent, '--isolation', 'worktree'];
  const here = tempDir();
  const full = carrel.run(here, 'eval', 'run', ...words, '--json');
  expect(describeRefusal(full, { disk: disk.path })).toContain('DISK_FULL, exit status 4');
  rmSync(filling);
  writeFiles(carrel.home, { freed: '' });
  expect(Object.keys(told(carrel.json<BatchRun>(here, 'eval', 'show', 'latest')))).toEqual(['first']);
  const resumed = carrel.json<BatchRun>(here, 'eval', 'resume', 'latest');
  expect(resumed).toMatchObject({ status: 'finished', totals: { passed: 3 } });
});
