import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCarrel } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { flavours, sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { overlayDir, requireOverlay, unmountBelow } from '../../helpers/pool/overlay.js';
import { git, makeRepository } from '../../helpers/repository.js';
import { writeFile } from '../../helpers/task/config-files.js';

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

it('a workspace whose files are shared says so, works like any other, and is removed without a trace', () => {
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

thoroughTest('files are mounted again while the last mount of them is still going', async () => {
  const { carrel, repository, home } = makeSite();
  const path = carrel.ok(repository, 'up', 'a');
  writeFileSync(join(path, 'work.txt'), 'work');
  // A mount namespace with a copy of every mount, as a sandbox makes one for a moment; its end is the event that counts.
  const holder = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', 'echo; sleep 1']);
  await once(holder.stdout, 'data');
  unmountBelow(home);
  expect(carrel.json(repository, 'ls')).toMatchObject([{ name: 'a', changes: { untracked: 1 } }]);
  expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work');
  if (holder.exitCode === null) await once(holder, 'exit');
});

it.each(sampleOf(['mounted', 'unmounted'], 'unmounted'))(
  'follows a repository that was moved while it is %s',
  how => {
    const { carrel, repository, home } = makeSite();
    const path = carrel.ok(repository, 'up', 'a');
    writeFileSync(join(path, 'a.txt'), 'changed\n');
    if (how === 'unmounted') unmountBelow(home);
    const moved = `${repository}-moved`;
    renameSync(repository, moved);
    expect(carrel.ok(moved, 'exec', 'a', '--', 'git', 'status', '--short')).toBe(' M a.txt');
    carrel.ok(moved, 'down', 'a', '--discard-changes');
    expect(readFileSync(join(carrel.ok(moved, 'restore', 'a'), 'a.txt'), 'utf8')).toBe('changed\n');
  },
);

it('where files cannot be shared they are checked out, and the reason is reported', () => {
  const { carrel, repository } = makeSite();
  git(repository, 'sparse-checkout', 'set', 'src');
  carrel.ok(repository, 'up', 'a');
  expect(carrel.json(repository, 'show', 'a')).toMatchObject({
    backend: 'git',
    population: { way: 'checkout', reason: expect.stringContaining('sparse checkout') },
  });
});

it('what a process leaves that was killed while it tried whether files can be shared is swept', () => {
  const site = makeSite();
  const before = lookAround(site);
  const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  // An unused pid: above the largest that Linux assigns.
  const scratch = join(site.worktrees, `carrel-4194305-${namespace}-abc`);
  for (const name of ['lower', 'upper', 'work', 'tree']) mkdirSync(join(scratch, name), { recursive: true });
  const layers = `lowerdir=${scratch}/lower,upperdir=${scratch}/upper,workdir=${scratch}/work`;
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, join(scratch, 'tree')]);
  site.carrel.ok(site.repository, 'ls');
  expect(lookAround(site)).toEqual(before);
  expect(existsSync(site.worktrees)).toBe(false);
  expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(scratch);
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
    for (const isRestarted of flavours(true, false))
      it(`of down, at ${step}${isRestarted ? ' and with a restart' : ''}, leaves the workspace`, () => {
        const { carrel, repository, home } = makeSite();
        const path = carrel.ok(repository, 'up', 'a');
        writeFileSync(join(path, 'work.txt'), 'work');
        carrel.runWith({ CARREL_TEST_KILL_AT: `down:${step}` }, repository, 'down', 'a', '--discard-changes');
        if (isRestarted) unmountBelow(home);
        expect(carrel.json(repository, 'ls')).toMatchObject([{ name: 'a', changes: { untracked: 1 } }]);
        expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work');
      });

  for (const step of sampleOf(['snapshotted', 'unregistered'], 'unregistered'))
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
