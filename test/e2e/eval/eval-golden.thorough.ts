import { describe, expect, test } from 'vitest';
import { golden } from '../../../src/batch/datasets/golden/golden.js';
import type { AttemptIsolation } from '../../../src/domain/batch/attempt.js';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import { isMachineProgram } from '../../../src/runtime/machine-programs.js';
import { findEvalLeftovers } from '../../helpers/batch/eval-leftovers.js';
import { type Carrel, createCarrel } from '../../helpers/carrel.js';
import { writeFiles } from '../../helpers/repository.js';
import { useContainers } from '../../helpers/sandbox/container.js';
import type { EngineName } from '../../helpers/sandbox/container-engine.js';
import { tempDir } from '../../helpers/temp.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// The whole built-in dataset with the real command: its solutions pass everywhere, and doing nothing passes nowhere.

const ALL = golden.items.map(({ id }) => id);
const LIMIT_MS = 10 * 60_000;

function run(carrel: Carrel, isolation: AttemptIsolation, agent: string) {
  const words = ['--dataset', 'golden', '--isolation', isolation, '--agent', agent, '--parallelism', '3'];
  const { attempts, skipped, isolation: used } = carrel.json<BatchRun>(tempDir(), 'eval', 'run', ...words);
  const outcomes = Object.fromEntries(
    attempts.map(({ taskId, outcome, message }) => [taskId, message ?? outcome]),
  );
  return { outcomes, used, skipped: skipped.map(({ id }) => id) };
}

function expectSound(carrel: Carrel, isolation: AttemptIsolation, skipped: readonly string[] = []): void {
  const ids = ALL.filter(id => !skipped.includes(id));
  for (const [agent, outcome] of Object.entries({ oracle: 'passed', nop: 'failed' })) {
    const outcomes = Object.fromEntries(ids.map(id => [id, outcome]));
    expect(run(carrel, isolation, agent)).toEqual({ outcomes, used: isolation, skipped });
    expect(findEvalLeftovers(carrel)).toEqual([]);
  }
}

test.for(['worktree', 'full', 'none'] as const)(
  'oracle passes all of golden and nop none, in %s',
  { timeout: LIMIT_MS },
  (isolation, context) => {
    if (isolation === 'full') requireBubblewrap(context);
    expectSound(createTidyCarrel(), isolation);
  },
);

describe.each<EngineName>(['podman', 'docker'])('with %s', name => {
  const containers = useContainers(name);

  test('oracle passes all of golden that needs no image and nop none', { timeout: LIMIT_MS }, () => {
    const { home, env } = createTidyCarrel();
    const carrel = createCarrel(home, {
      ...containers.engine.environment,
      HOME: home,
      TMPDIR: env.TMPDIR as string,
    });
    writeFiles(home, { 'config/carrel/config.yaml': `sandbox:\n  runtime: ${name}\n` });
    const needy = golden.items.filter(({ requires = [] }) => !requires.every(isMachineProgram));
    expect(needy.length).toBeLessThan(ALL.length / 2);
    expectSound(
      carrel,
      'docker',
      needy.map(({ id }) => id),
    );
  });
});
