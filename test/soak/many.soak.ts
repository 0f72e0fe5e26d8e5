import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type App, openApp } from '../../src/app.js';
import { listWorkspaces } from '../../src/operations/workspace/list.js';
import { up } from '../../src/operations/workspace/up.js';
import { createCarrel } from '../helpers/carrel.js';
import { findLeftovers, type Surroundings } from '../helpers/leftovers.js';
import { git, makeRepository } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp.js';
import { scaled } from './scale.js';

const FILES = 150;
const AT_ONCE = 64;
const ROUNDS = scaled(3);
const MANY = scaled(1000);

function makeSurroundings(): Surroundings {
  const home = tempDir();
  const temporary = tempDir();
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [
      `source/${index % 10}/file-${index}.txt`,
      `${index}\n`.repeat(50),
    ]),
  );
  return { repository: makeRepository(files), carrel: createCarrel(home, { TMPDIR: temporary }), temporary };
}

const print = (line: string) => process.stdout.write(`${line}\n`);

async function time<T>(label: string, action: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await action();
  print(`${label}: ${Math.round(performance.now() - start)} ms`);
  return result;
}

it(`${AT_ONCE} processes that each make a workspace at once all succeed, ${ROUNDS} times`, async () => {
  const site = makeSurroundings();
  const { repository, carrel } = site;
  const before = [git(repository, 'worktree', 'list'), git(repository, 'branch', '--all')];
  for (let round = 1; round <= ROUNDS; round++) {
    const names = Array.from({ length: AT_ONCE }, (_, index) => `w${index}`);
    const outcomes = await time(`round ${round}: ${AT_ONCE} x up`, () =>
      Promise.all(names.map(name => carrel.start(repository, 'up', name))),
    );
    expect(outcomes.filter(({ status }) => status !== 0)).toEqual([]);
    expect(carrel.json<unknown[]>(repository, 'ls')).toHaveLength(AT_ONCE);
    expect(findLeftovers(site)).toEqual([]);
    await time(`round ${round}: gc of ${AT_ONCE}`, () =>
      carrel.ok(repository, 'gc', '--older-than', '0s', '--yes'),
    );
    expect([git(repository, 'worktree', 'list'), git(repository, 'branch', '--all')]).toEqual(before);
    expect(readdirSync(carrel.cacheDir)).toEqual([]);
  }
});

it(`${MANY} workspaces are listed, and the time is printed`, async () => {
  const site = makeSurroundings();
  const { repository, carrel } = site;
  const app = await openApp({ environment: carrel.env, cwd: repository });
  try {
    await time(`${MANY} x up, four at a time in one process`, () => makeMany(app, repository));
    await measureList(app, repository);
  } finally {
    await app.close();
  }
  await time('carrel --version (the start of Node)', () => carrel.ok(repository, '--version'));
  await time('carrel ls --fast --json', () => carrel.ok(repository, 'ls', '--fast', '--json'));
  const listed = await time('carrel ls --json', () => carrel.json<unknown[]>(repository, 'ls'));
  expect(listed).toHaveLength(MANY);
  expect(findLeftovers(site)).toEqual([]);
});

async function makeMany(app: App, repository: string): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < MANY) await up(app, { repository, name: `w${next++}` });
  };
  await Promise.all(Array.from({ length: 4 }, work));
}

/** What `ls` is spent on, one part after the other. */
async function measureList(app: App, repository: string): Promise<void> {
  const records = await time('records from the store', () => app.store.workspaces.list());
  const { inspect } = app.backends.git;
  await time('… whether they are in place', () => inspect(records, { size: false, presenceOnly: true }));
  await time('… and what changed in them (git status each)', () => inspect(records, { size: false }));
  await time('… and how large they are', () => inspect(records, { size: true }));
  await time('all of it', () => listWorkspaces(app, { repository }));
}
