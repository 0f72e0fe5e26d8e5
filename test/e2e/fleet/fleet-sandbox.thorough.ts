import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import type { EvalItem } from '../../../src/domain/batch/eval-item.js';
import { writeDataset } from '../../helpers/batch/eval-bench.js';
import { withFleetBench } from '../../helpers/fleet/fleet-bench.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

beforeEach(requireBubblewrap);

const item: EvalItem = {
  id: 'made',
  description: 'make it',
  base: { kind: 'files', files: { 'a.txt': 'a\n' } },
  graders: [{ kind: 'command', run: 'test "$(cat made.txt)" = made' }],
};

test('a worker runs attempts with isolation full in its own sandbox, for a submitter without one', async () => {
  const outside = join(tempDir(), 'outside');
  await withFleetBench(
    join(tempDir(), 'fleet'),
    async bench => {
      await bench.startWorker('one', '--slots', '2', '--allow', 'full');
      const agent = `echo made > made.txt; echo x > ${outside} || true`;
      const words = ['--dataset', writeDataset([item]), '--attempts', '2', '--agent', agent];
      const { status, stdout } = await bench.startBatch('run', ...words, '--parallelism', '2');
      expect(status).toBe(0);
      const run = JSON.parse(stdout) as BatchRun;
      expect(run).toMatchObject({ isolation: 'full', totals: { passed: 2 } });
      expect(run.attempts.map(({ environment }) => environment.runtime)).toEqual([
        'bubblewrap',
        'bubblewrap',
      ]);
      expect(existsSync(outside)).toBe(false);
    },
    { PATH: pathWithout('bwrap', 'podman', 'docker') },
  );
});

test('a worker that allows only isolation full leaves weaker jobs and says so', async () => {
  await withFleetBench(join(tempDir(), 'fleet'), async bench => {
    await bench.startWorker('one', '--allow', 'full');
    const words = ['--dataset', writeDataset([item]), '--agent', 'nop', '--isolation', 'worktree'];
    bench.startBatch('run', ...words);
    const id = (await waitFor('the run', bench.findRun)) as string;
    const [left] = await waitFor('the reason', () => {
      const found = bench.show(id).left;
      return found.length > 0 ? found : undefined;
    });
    expect(left?.reason).toMatch(/asks for isolation worktree; this worker allows full/);
  });
});
