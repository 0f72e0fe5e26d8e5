import { expect, test } from 'vitest';
import { carrelError } from '../../../domain/error/error.js';
import { isRetried } from '../../../domain/task/retry-rules.js';
import { sampleWorkspace } from '../../../store/contract/sample-records.js';
import { explainError } from './commit-failure.js';

test('the agent does not retry failures it cannot fix', () => {
  const kindOf = (error: unknown) => explainError(sampleWorkspace(), error).failure.kind;
  const refused = { workspace: 'a', problems: ['an odd object'], unmerged: null };
  const kinds = [
    kindOf(carrelError('TAKE_BACK_REFUSED', refused)),
    kindOf(carrelError('GIT_FAILED', { command: 'git commit', exitCode: 1, stderr: 'no' })),
    kindOf(carrelError('SANDBOX_REFUSED', { runtime: 'bubblewrap', problem: 'no' })),
  ];
  expect(kinds).toEqual(['branch-left', 'internal', 'isolation']);
  expect(kinds.filter(kind => isRetried(kind, 1, 9))).toEqual([]);
});
