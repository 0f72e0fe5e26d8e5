import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCarrel } from '../helpers/carrel.js';
import { writeFile } from '../helpers/config-files.js';
import { fingerprint } from '../helpers/fingerprint.js';
import { sampleOf } from '../helpers/flavours.js';
import { overlayDir, requireOverlay, unmountBelow } from '../helpers/overlay.js';
import { git, makeRepository } from '../helpers/repository.js';

beforeEach(requireOverlay);

/** A repository and a user who wants overlays. */
function makeSite() {
  const home = overlayDir();
  const carrel = createCarrel(home);
  writeFile(join(home, 'config/carrel/config.yaml'), 'workspace:\n  files: overlay\n');
  const repository = makeRepository({ 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
  return { carrel, repository, home, worktrees: join(carrel.cacheDir, 'worktrees') };
}

type Site = ReturnType<typeof makeSite>;

/** Everything that a workspace leaves while it is there; the template stays for the next one. */
function lookAround({ repository, worktrees }: Site) {
  return {
    user: fingerprint(repository),
    files: existsSync(worktrees) ? readdirSync(worktrees).filter(name => name !== '.templates') : [],
    refs: git(repository, 'for-each-ref', 'refs/carrel/workspaces', 'refs/heads'),
    worktrees: git(repository, 'worktree', 'list', '--porcelain'),
  };
}

it('a workspace whose files are shared says so, works like any other, and goes without a trace', () => {
  const site = makeSite();
  const { carrel, repository, home } = site;
  const before = lookAround(site);
  const path = carrel.ok(repository, 'up', 'a');
  expect(carrel.json(repository, 'show', 'a')).toMatchObject({
    backend: 'overlay',
    population: { way: 'overlay', reason: null },
    risks: [],
  });
  expect(carrel.ok(repository, 'show', 'a')).toMatch(/^files {7}shared, in an overlay$/m);
  writeFileSync(join(path, 'a.txt'), 'changed\n');
  rmSync(join(path, 'src/b.txt'));
  unmountBelow(home);
  expect(carrel.ok(repository, 'exec', 'a', '--', 'git', 'status', '--short')).toBe(' M a.txt\n D src/b.txt');
  const { snapshot } = carrel.json<{ snapshot: string }>(repository, 'down', 'a', '--discard-changes');
  expect(lookAround(site)).toEqual(before);
  const restored = carrel.ok(repository, 'restore', snapshot);
  expect(readFileSync(join(restored, 'a.txt'), 'utf8')).toBe('changed\n');
  expect(existsSync(join(restored, 'src/b.txt'))).toBe(false);
});

it('where files can not be shared they are checked out, and the reason is told', () => {
  const { carrel, repository } = makeSite();
  git(repository, 'sparse-checkout', 'set', 'src');
  carrel.ok(repository, 'up', 'a');
  expect(carrel.json(repository, 'show', 'a')).toMatchObject({
    backend: 'git',
    population: { way: 'checkout', reason: expect.stringContaining('sparse checkout') },
  });
});

describe('a kill at any step, with and without a restart of the machine', () => {
  for (const step of sampleOf(['recorded', 'registered', 'populated', 'prepared'], 'populated'))
    it(`of up, at ${step}, leaves nothing`, () => {
      const site = makeSite();
      const before = lookAround(site);
      site.carrel.runWith({ CARREL_TEST_KILL_AT: `up:${step}` }, site.repository, 'up', 'a');
      if (step === 'populated') unmountBelow(site.home);
      expect(site.carrel.json(site.repository, 'ls')).toEqual([]);
      expect(lookAround(site)).toEqual(before);
    });

  for (const step of sampleOf(['recorded', 'set-aside', 'captured'], 'captured'))
    for (const isRestarted of [false, true])
      it(`of down, at ${step}${isRestarted ? ' and with a restart' : ''}, leaves the workspace`, () => {
        const { carrel, repository, home } = makeSite();
        const path = carrel.ok(repository, 'up', 'a');
        writeFileSync(join(path, 'work.txt'), 'work');
        carrel.runWith({ CARREL_TEST_KILL_AT: `down:${step}` }, repository, 'down', 'a', '--discard-changes');
        if (isRestarted) unmountBelow(home);
        expect(carrel.json(repository, 'ls')).toMatchObject([{ name: 'a', changes: { untracked: 1 } }]);
        expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work');
      });

  for (const step of ['snapshotted', 'unregistered'])
    it(`of down, at ${step}, is finished by the next command`, () => {
      const site = makeSite();
      const { carrel, repository } = site;
      const before = lookAround(site);
      writeFileSync(join(carrel.ok(repository, 'up', 'a'), 'work.txt'), 'work');
      carrel.runWith({ CARREL_TEST_KILL_AT: `down:${step}` }, repository, 'down', 'a', '--discard-changes');
      expect(carrel.json(repository, 'ls')).toEqual([]);
      expect(lookAround(site)).toEqual(before);
    });
});
