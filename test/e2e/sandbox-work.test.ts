import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { GcReport } from '../../src/domain/result.js';
import type { Snapshot } from '../../src/domain/snapshot.js';
import { createTidyCarrel, DESK_FILES, type Desk, makeDesk } from '../helpers/desk.js';
import { thoroughTest } from '../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../helpers/repository.js';
import { requireBubblewrap } from '../helpers/sandboxed.js';
import { tempDir } from '../helpers/temp.js';

beforeEach(requireBubblewrap);

const FULL = ['--isolation', 'full', '--strict'];

const makeFull = (config = '', repository = makeRepository(DESK_FILES)): Desk =>
  makeDesk({ repository, up: FULL, config: `sandbox:\n  runtime: bubblewrap\n${config}` });

const inside = (desk: Desk, script: string) => desk.run('exec', 'a', '--', 'sh', '-ec', script);

const placeOf = (desk: Desk): string => join(desk.carrel.stateDir, 'sandboxes', desk.id);

/** What a removal that was refused names. */
function refusal(desk: Desk, ...flags: string[]): string {
  const refused = desk.carrel.error(desk.repository, 'down', 'a', ...flags);
  expect(refused).toMatchObject({ status: 3, code: 'REMOVAL_REFUSED' });
  return JSON.stringify(refused.details);
}

test('a git directory inside that is larger than what is held of ignored files comes back whole', () => {
  const desk = makeFull('snapshots:\n  ignoredLimit: 100KB\n');
  const made = inside(
    desk,
    `git checkout -qb side; head -c 1200000 /dev/urandom > large; git add large; git commit -qm large
     echo s > small; git add small; git commit -qm small; git gc -q; git checkout -q carrel/a`,
  );
  expect(made.status).toBe(0);
  expect(refusal(desk)).toContain('refs/heads/side');
  desk.ok('down', 'a', '--discard-commits');
  desk.ok('restore', 'a');
  expect(inside(desk, 'git log --format=%s -2 side; git cat-file -s side:large').stdout).toBe(
    'small\nlarge\n1200000\n',
  );
});

test('what a snapshot can not hold of the git directory inside stops a removal, and is told by one that is wanted', () => {
  const desk = makeFull();
  // Nothing but its size is ever looked at.
  const huge = join(placeOf(desk), 'git/objects/huge.pack');
  writeFileSync(huge, '');
  truncateSync(huge, 3 * 1024 ** 3);
  expect(refusal(desk)).toContain('.git/objects/huge.pack');
  const { stderr, status } = desk.run('down', 'a', '--discard-commits');
  expect(status).toBe(0);
  expect(stderr).toMatch(/^warning: .*\.git\/objects\/huge\.pack/m);
});

test('the private home goes into the snapshot without its caches, and comes back', () => {
  const desk = makeFull();
  inside(
    desk,
    `cd; echo n > notes; mkdir -p .cache/x .npm .config/empty project/node_modules; echo c > .cache/x/y
     echo k > key; chmod 600 key; echo t > project/tool; chmod 755 project/tool; ln -s notes link
     echo m > project/node_modules/m; git init -q project; echo w > project/work`,
  );
  desk.ok('down', 'a');
  const [snapshot] = desk.carrel.json<Snapshot[]>(desk.repository, 'snapshots', 'a');
  expect(snapshot?.omitted.map(({ path }) => path)).toContain('~/.cache');
  desk.ok('restore', 'a');
  expect(inside(desk, 'cd; cat notes link key project/tool project/work').stdout).toBe('n\nn\nk\nt\nw\n');
  expect(
    inside(
      desk,
      'cd; ls; test ! -e .cache; test -d .config/empty; stat -c %a key project/tool; git -C project status --short',
    ).stdout,
  ).toBe('key\nlink\nnotes\nproject\n600\n755\n?? node_modules/\n?? tool\n?? work\n');
});

test('a private home that is too large for a snapshot stops a removal', () => {
  const desk = makeFull('snapshots:\n  ignoredLimit: 10KB\n');
  inside(desk, 'head -c 20000 /dev/zero > ~/large; echo n > ~/notes');
  expect(refusal(desk)).toContain('~/large');
  desk.ok('down', 'a', '--discard-changes');
  desk.ok('restore', 'a');
  expect(inside(desk, 'ls ~').stdout).toBe('notes\n');
});

thoroughTest('the private home of a directory without git comes back too', () => {
  const directory = tempDir();
  writeFiles(directory, { 'one.txt': 'one\n' });
  const carrel = createTidyCarrel();
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'sandbox:\n  runtime: bubblewrap\n' });
  carrel.ok(directory, 'up', 'a', '--copy', '.', ...FULL);
  carrel.ok(directory, 'exec', 'a', '--', 'sh', '-c', 'echo n > ~/notes');
  carrel.ok(directory, 'down', 'a');
  carrel.ok(directory, 'restore', 'a');
  expect(carrel.ok(directory, 'exec', 'a', '--', 'sh', '-c', 'cat ~/notes')).toBe('n');
});

test('the private home of a surgical sandbox comes back, with what was written there since', () => {
  const desk = makeFull('  git: surgical\n');
  inside(desk, 'echo n > ~/notes; git config --global user.name Other');
  desk.ok('down', 'a');
  desk.ok('restore', 'a');
  expect(inside(desk, 'cat ~/notes; git config user.name').stdout).toBe('n\nOther\n');
});

test('commits on the own branch are taken back although another branch is checked out since', () => {
  const desk = makeFull();
  inside(desk, 'git commit -q --allow-empty -m own; git checkout -q -b other origin/main');
  expect(git(desk.repository, 'log', '--format=%s', '-1', 'carrel/a')).toBe('own');
  inside(desk, 'git commit -q --allow-empty -m apart');
  expect(git(desk.repository, 'log', '--format=%s', '-1', 'carrel/a')).toBe('own');
  expect(refusal(desk)).toMatch(/own.*refs\/heads\/other/);
});

test('commits on a detached HEAD, and on one of a worktree that was made inside, stop a removal', () => {
  const desk = makeFull();
  inside(desk, 'git checkout -q --detach; git commit -q --allow-empty -m loose; echo ~');
  expect(refusal(desk)).toContain('"HEAD"');
  inside(desk, 'git checkout -q carrel/a; git worktree add -q --detach ~/more');
  inside(desk, 'git -C ~/more commit -q --allow-empty -m far');
  expect(refusal(desk)).toContain('"worktrees/more/HEAD"');
});

thoroughTest('ten thousand tags of the repository do not hide a branch that was made inside', () => {
  const repository = makeRepository(DESK_FILES);
  const head = git(repository, 'rev-parse', 'HEAD');
  const tags = Array.from({ length: 10_001 }, (_, at) => `${head} refs/tags/t${at}\n`);
  writeFileSync(
    join(repository, '.git/packed-refs'),
    `# pack-refs with: peeled fully-peeled \n${tags.sort().join('')}`,
  );
  const desk = makeFull('', repository);
  inside(desk, 'git branch same');
  desk.ok('show', 'a');
  inside(desk, 'git checkout -q -b side; git commit -q --allow-empty -m side; git checkout -q carrel/a');
  const details = refusal(desk);
  expect(details).toContain('refs/heads/side');
  expect(details).not.toContain('refs/tags');
});

test('refs inside that can not all be read stop a removal', () => {
  const desk = makeFull();
  inside(desk, 'git pack-refs --all');
  truncateSync(join(placeOf(desk), 'git/packed-refs'), 65 * 1024 ** 2);
  expect(refusal(desk)).toContain('packed-refs');
});

test('gc plans to keep what it would keep', () => {
  const desk = makeFull();
  inside(desk, 'git checkout -q -b side; git commit -q --allow-empty -m side; git checkout -q carrel/a');
  const plan = desk.carrel.json<GcReport>(desk.repository, 'gc', '--older-than', '0s');
  expect(plan.items.find(item => item.kind === 'workspace')).toMatchObject({
    action: 'keep',
    reason: expect.stringContaining('refs/heads/side'),
  });
});

test('commits that a setup command made inside before it failed are kept', () => {
  const setup =
    'git checkout -q -b side; git commit -q --allow-empty -m side; git checkout -q carrel/a; exit 7';
  const carrel = createTidyCarrel();
  const repository = makeRepository(DESK_FILES);
  const config = `sandbox:\n  runtime: bubblewrap\nworkspace:\n  setup: ["${setup}"]\n`;
  writeFiles(carrel.home, { 'config/carrel/config.yaml': config });
  const failed = carrel.run(repository, 'up', 'a', ...FULL);
  expect(failed.status).not.toBe(0);
  expect(failed.stderr).toMatch(/what was made in a is kept: carrel restore snap_/);
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'sandbox:\n  runtime: bubblewrap\n' });
  carrel.ok(repository, 'restore', 'a');
  const log = ['exec', 'a', '--', 'git', 'log', '-1', '--format=%s', 'side'];
  expect(carrel.run(repository, ...log).stdout).toBe('side\n');
});
