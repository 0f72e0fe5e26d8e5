import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { flavours, isThorough } from '../../test/helpers/flavours.js';
import { type TestContainers, useContainers } from '../../test/helpers/sandbox/container.js';
import { pathWithout } from '../../test/helpers/sandbox/sandboxed.js';
import { tempDir } from '../../test/helpers/temp.js';
import { requireBubblewrap } from '../../test/parts/bubblewrap.js';
import { openApp } from '../app.js';
import type { AttemptIsolation } from '../domain/batch/attempt.js';
import { createIsolationProvider } from '../standalone-providers.js';
import { chooseAttemptIsolation, createBatchProvider } from './create-provider.js';
import { listLeftovers, providerContract, TASK } from './provider-contract.js';

async function openSubject(isolation: AttemptIsolation, containers?: TestContainers) {
  const home = tempDir();
  const { env } = createCarrel(home, containers?.engine.environment);
  mkdirSync(join(home, 'config', 'carrel'), { recursive: true });
  const engine = containers?.engine.name;
  if (engine) writeFileSync(join(home, 'config/carrel/config.yaml'), `sandbox:\n  runtime: ${engine}\n`);
  const context = await openApp({ environment: { ...env, HOME: home }, cwd: home });
  onTestFinished(() => context.close());
  const create = (parallelism: number) => createIsolationProvider({ context, isolation, parallelism });
  return { context, create, image: containers?.image };
}

for (const isolation of flavours<'worktree' | 'none'>('worktree', 'none'))
  providerContract(isolation, { open: () => openSubject(isolation) });

describe.each(isThorough ? (['bubblewrap', 'podman', 'docker'] as const) : [])('with %s', runtime => {
  if (runtime === 'bubblewrap')
    providerContract('full', { open: () => openSubject('full'), requires: requireBubblewrap });
  else {
    const containers = useContainers(runtime);
    providerContract('docker', { open: () => openSubject('docker', containers) });
  }
});

test.each([
  [undefined, 1, 'none'],
  [undefined, 2, 'worktree'],
  ['none', 2, 'none'],
  ['full', 1, 'full'],
] as const)(
  'with %s requested and %i attempts at once, the isolation is %s',
  (asked, parallelism, expected) => {
    expect(chooseAttemptIsolation(asked, parallelism)).toBe(expected);
  },
);

test.each(['full', 'docker'] as const)('without a runtime, %s is refused', async isolation => {
  const { env, home } = createCarrel(tempDir(), { PATH: pathWithout('bwrap', 'podman', 'docker') });
  const context = await openApp({ environment: env, cwd: home });
  onTestFinished(() => context.close());
  const provider = createBatchProvider(context, { isolation, parallelism: 1 });
  await provider.init([TASK]);
  await expect(provider.acquire(TASK)).rejects.toMatchObject({ code: 'ISOLATION_UNAVAILABLE' });
  await provider.destroyAll();
  expect(await listLeftovers(context)).toEqual([]);
});
