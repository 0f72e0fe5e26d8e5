import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { type TestContainers, useContainers } from '../../test/helpers/container.js';
import type { EngineName } from '../../test/helpers/container-engine.js';
import { flavours, isThorough } from '../../test/helpers/flavours.js';
import { pathWithout, requireBubblewrap } from '../../test/helpers/sandboxed.js';
import { tempDir } from '../../test/helpers/temp.js';
import { openApp } from '../app.js';
import type { AttemptIsolation } from '../domain/attempt.js';
import { chooseAttemptIsolation, createIsolationProvider } from './create-provider.js';
import { describeProvider, listLeftovers, TASK } from './provider-contract.js';

async function openSubject(isolation: AttemptIsolation, containers?: TestContainers) {
  const home = tempDir();
  const { env } = createCarrel(home, containers?.engine.environment);
  mkdirSync(join(home, 'config', 'carrel'), { recursive: true });
  const engine = containers?.engine.name;
  if (engine) writeFileSync(join(home, 'config/carrel/config.yaml'), `sandbox:\n  runtime: ${engine}\n`);
  const context = await openApp({ environment: { ...env, HOME: home }, cwd: home });
  onTestFinished(() => context.close());
  const create = () => createIsolationProvider({ context, isolation, parallelism: 2, needs: { hosts: [] } });
  return { context, create, image: containers?.image };
}

if (!isThorough) {
  describeProvider('worktree', { open: () => openSubject('worktree') });
  describeProvider('none', { open: () => openSubject('none') });
}

describe.each(flavours<'bubblewrap' | EngineName>('bubblewrap', 'podman', 'docker'))('with %s', runtime => {
  if (runtime === 'bubblewrap')
    describeProvider('full', { open: () => openSubject('full'), requires: requireBubblewrap });
  else {
    const containers = useContainers(runtime);
    describeProvider('docker', { open: () => openSubject('docker', containers) });
  }
});

test.each([
  [undefined, 1, 'none'],
  [undefined, 2, 'worktree'],
  ['none', 2, 'none'],
  ['full', 1, 'full'],
] as const)('when %s is asked for with %i at once, it is %s', (asked, parallelism, expected) => {
  expect(chooseAttemptIsolation(asked, parallelism)).toBe(expected);
});

test.each(['full', 'docker'] as const)('without a runtime there is no attempt with %s', async isolation => {
  const { env, home } = createCarrel(tempDir(), { PATH: pathWithout('bwrap', 'podman', 'docker') });
  const context = await openApp({ environment: env, cwd: home });
  onTestFinished(() => context.close());
  const provider = createIsolationProvider({ context, isolation, parallelism: 1, needs: { hosts: [] } });
  await expect(provider.acquire(TASK)).rejects.toMatchObject({ code: 'ISOLATION_UNAVAILABLE' });
  await provider.destroyAll();
  expect(await listLeftovers(context)).toEqual([]);
});
