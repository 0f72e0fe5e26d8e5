import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { makeRepository } from '../../../test/helpers/repository.js';
import { openApp } from '../../app.js';
import { keptFilesDirectory } from './expire-kept-files.js';
import { collectGarbage } from './gc.js';

const DAY_MS = 86_400_000;

test('kept files of attempts are removed after one day of running time since they were found expired', async () => {
  const { env, home } = createCarrel();
  const app = await openApp({ environment: env, cwd: home });
  onTestFinished(() => app.close());
  const [old, fresh] = ['old', 'fresh'].map(name => join(keptFilesDirectory(app.places), name)) as [
    string,
    string,
  ];
  for (const directory of [old, fresh]) mkdirSync(directory, { recursive: true });
  utimesSync(old, 0, 0);
  const repository = makeRepository();
  const collect = async (execute: boolean, uptimeMs = 0) => {
    const running = { ...app, steadyTime: () => ({ boot: 'first', uptimeMs }) };
    const { items } = await collectGarbage(running, { repository, execute });
    const kept = items.filter(({ kind }) => kind === 'kept-files');
    return Object.fromEntries(kept.map(({ name, outcome }) => [name, outcome]));
  };
  expect(await collect(false)).toEqual({ old: 'planned', fresh: 'kept' });
  expect(existsSync(old)).toBe(true);
  expect(await collect(true)).toEqual({ old: 'kept', fresh: 'kept' });
  expect(await collect(true, 1000)).toEqual({ old: 'kept', fresh: 'kept' });
  expect(existsSync(old)).toBe(true);
  expect(await collect(true, DAY_MS)).toEqual({ old: 'removed', fresh: 'kept' });
  expect([old, fresh].map(each => existsSync(each))).toEqual([false, true]);
});
