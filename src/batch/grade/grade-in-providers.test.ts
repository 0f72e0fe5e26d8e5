import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { flavours } from '../../../test/helpers/flavours.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { openApp } from '../../app.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { createBatchProvider } from '../create-provider.js';
import { gradeWork } from './grade-work.js';

const ITEM: EvalItem = {
  id: 'task',
  description: 'Write right into answer.txt.',
  base: { kind: 'files', files: { 'answer.txt': 'wrong\n', 'old.txt': 'x\n', 'check.sh': 'exit 1\n' } },
  setup: ['mkdir -p made && echo setup > made/file.txt'],
  hidden: { 'check.sh': '#!/bin/sh\nexec test "$(cat answer.txt)" = right\n' },
  graders: [
    { kind: 'command', run: './check.sh && test "$(cat made/file.txt)" = agent && test ! -e old.txt' },
    { kind: 'tests', run: 'printf "1..1\\nok 1 - a\\n" > out.tap', report: 'out.tap', parser: 'tap' },
    { kind: 'reward', run: 'echo 1 > /tmp/carrel-reward/reward.txt', file: '/tmp/carrel-reward/reward.txt' },
    { kind: 'command', run: 'test -e answer.txt || exit 127' },
  ],
};

const WORK = 'echo right > answer.txt; echo agent > made/file.txt; rm old.txt; echo exit 0 > check.sh';

for (const isolation of flavours<'worktree' | 'none' | 'full'>('worktree', 'none', 'full'))
  test(`grades an agent's work with isolation ${isolation}`, async context => {
    if (isolation === 'full') requireBubblewrap(context);
    const { env, home } = createCarrel();
    const app = await openApp({ environment: env, cwd: home });
    onTestFinished(() => app.close());
    const provider = createBatchProvider(app, { isolation, parallelism: 1 });
    onTestFinished(() => provider.destroyAll());
    const item = isolation === 'full' ? ITEM : { ...ITEM, graders: ITEM.graders.filter(staysInside) };
    await provider.init([item]);

    const work = async (script: string) => {
      const environment = await provider.acquire(item);
      await environment.run({ command: ['sh', '-c', `${ITEM.setup?.[0]}; ${script}`] });
      await environment.endAll();
      const { patch } = await environment.collectPatch();
      await provider.release(environment);
      const fresh = await provider.acquire(item);
      const signal = new AbortController().signal;
      const reset = () => provider.reset(fresh);
      const graded = await gradeWork({ item, environment: fresh, patch, signal, reset });
      await provider.release(fresh);
      return graded;
    };

    expect(await work(WORK)).toMatchObject({
      passed: true,
      score: 1,
      findings: ["changed check.sh, which is graded with the grader's own version"],
    });
    const hidden = await work('rm answer.txt');
    expect(hidden.grades.map(({ passed, error }) => error ?? passed).at(-1)).toBe(false);
    expect(hidden.grades.at(-1)?.detail).toMatch(/without them it works/);
  });

/** Without a sandbox, all attempts share files outside the working tree. */
const staysInside = (grader: EvalItem['graders'][number]): boolean => grader.kind !== 'reward';
