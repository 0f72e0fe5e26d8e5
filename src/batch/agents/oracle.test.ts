import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tryAgent } from '../../../test/helpers/batch/agent-request.js';
import { plainEnvironment } from '../../../test/helpers/batch/plain-environment.js';
import type { EvalSolution } from '../../domain/batch/eval-item.js';
import { nop } from './nop.js';
import { createOracle } from './oracle.js';

const oracle = createOracle({ now: Date.now });

const PATCH = `--- a/file.txt
+++ b/file.txt
@@ -1 +1 @@
-old
+new`;

test.each<EvalSolution>([
  { kind: 'patch', patch: PATCH },
  { kind: 'files', files: { 'file.txt': 'new\n', 'made/here.txt': 'too\n' } },
  { kind: 'script', run: 'echo said; echo new > file.txt' },
])('oracle applies a solution that is a $kind', async solution => {
  const { environment, ending, lines } = await tryAgent(oracle, { item: { solution } });
  expect(ending).toBe('done');
  expect((await environment.readFile('file.txt', 100))?.toString()).toBe('new\n');
  expect(lines).toEqual(solution.kind === 'script' ? ['stdout: said'] : []);
});

test('an executable file stays executable', async () => {
  const environment = plainEnvironment({ 'run.sh': 'old', 'plain.txt': 'old' });
  await environment.run({ command: ['chmod', '755', 'run.sh'] });
  const files = { 'run.sh': 'new', 'plain.txt': 'new' };
  await tryAgent(oracle, { environment, item: { solution: { kind: 'files', files } } });
  const modes = Object.keys(files).map(
    path => statSync(join(environment.workingDirectory, path)).mode & 0o111,
  );
  expect(modes).toEqual([0o111, 0]);
});

test('reports a solution that is missing, does not apply or takes too long', async () => {
  const attempt = (solution?: EvalSolution, limitMs = 30_000) =>
    tryAgent(oracle, { limitMs, item: solution ? { solution } : {} });
  expect(await attempt()).toMatchObject({ ending: 'failed', message: expect.stringMatching(/no solution/) });
  const misfit: EvalSolution = { kind: 'patch', patch: PATCH.replace('-old', '-other') };
  expect(await attempt(misfit)).toMatchObject({
    ending: 'failed',
    exitCode: 1,
    message: expect.stringMatching(/^cannot apply the solution \(exit status 1\)\n.*file\.txt/s),
  });
  expect(await attempt({ kind: 'script', run: 'sleep 1000' }, 300)).toMatchObject({ ending: 'timed-out' });
});

test('nop changes nothing', async () => {
  const { environment, ending } = await tryAgent(nop);
  expect(ending).toBe('done');
  expect((await environment.collectPatch()).patch.length).toBe(0);
});
