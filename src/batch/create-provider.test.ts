import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { requireBubblewrap } from '../../test/helpers/sandboxed.js';
import { openApp } from '../app.js';
import type { AttemptIsolation } from '../domain/attempt.js';
import { chooseAttemptIsolation, createIsolationProvider } from './create-provider.js';
import { describeProvider } from './provider-contract.js';

async function openSubject(isolation: AttemptIsolation) {
  const { env, home } = createCarrel();
  const context = await openApp({ environment: env, cwd: home });
  onTestFinished(() => context.close());
  const create = () => createIsolationProvider({ context, isolation, parallelism: 2, needs: { hosts: [] } });
  return { context, create };
}

describeProvider('worktree', { open: () => openSubject('worktree') });
describeProvider('none', { open: () => openSubject('none') });
describeProvider('full', { open: () => openSubject('full'), requires: requireBubblewrap });

test.each([
  [undefined, 1, 'none'],
  [undefined, 2, 'worktree'],
  ['none', 2, 'none'],
  ['full', 1, 'full'],
] as const)('when %s is asked for with %i at once, it is %s', (asked, parallelism, expected) => {
  expect(chooseAttemptIsolation(asked, parallelism)).toBe(expected);
});
