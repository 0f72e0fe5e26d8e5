import { existsSync, mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { makeRepository } from '../../test/helpers/repository.js';
import { openApp } from '../app.js';
import { collectGarbage } from './gc.js';
import { keptFilesDirectory } from './kept-files.js';

test('files of attempts that were kept go when they are as old as what else is cleaned up', async () => {
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
  const collect = async (execute: boolean) => {
    const { items } = await collectGarbage(app, { repository, execute });
    const kept = items.filter(({ kind }) => kind === 'kept-files');
    return Object.fromEntries(kept.map(({ name, outcome }) => [name, outcome]));
  };
  expect(await collect(false)).toEqual({ old: 'planned', fresh: 'kept' });
  expect(existsSync(old)).toBe(true);
  expect(await collect(true)).toEqual({ old: 'removed', fresh: 'kept' });
  expect([old, fresh].map(each => existsSync(each))).toEqual([false, true]);
});
