import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { GcReport } from '../../../src/domain/report/result.js';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import {
  createTidyCarrel,
  DESK_FILES,
  type Fixture,
  makeFixture,
} from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

beforeEach(requireBubblewrap);

const FULL = ['--isolation', 'full', '--strict'];

const makeFull = (config = '', repository = makeRepository(DESK_FILES)): Fixture =>
  makeFixture({ repository, up: FULL, config: `sandbox:\n  runtime: bubblewrap\n${config}` });

const inside = (fixture: Fixture, script: string) => fixture.run('exec', 'a', '--', 'sh', '-ec', script);

const placeOf = (fixture: Fixture): string => join(fixture.carrel.stateDir, 'sandboxes', fixture.id);

/** What a removal that was refused names. */
function refusal(fixture: Fixture, ...flags: string[]): string {
  const refused = fixture.carrel.error(fixture.repository, 'down', 'a', ...flags);
  expect(refused).toMatchObject({ status: 3, code: 'REMOVAL_REFUSED' });
  return JSON.stringify(refused.details);
}

test('the workspace is at /workspace too, with its git, and a command may start there', () => {
  const fixture = makeFull('workspace:\n  container:\n    workingDir: /workspace\n');
  const script = `pwd; echo "$PWD"; echo two > two.txt; git add two.txt; git commit -qm two; git status --short
    git -C "$CARREL_WORKSPACE_PATH" log -1 --format=%s; ls "$CARREL_WORKSPACE_PATH/two.txt"`;
  const { stdout, status } = inside(fixture, script);
  expect(status).toBe(0);
  expect(stdout).toBe(`/workspace\n/workspace\ntwo\n${fixture.path}/two.txt\n`);
  expect(git(fixture.repository, 'show', 'carrel/a:two.txt')).toBe('two');
});

thoroughTest('a git directory inside that exceeds the limit for ignored files is restored completely', () => {
  const fixture = makeFull('snapshots:\n  ignoredLimit: 100KB\n');
  const made = inside(
    fixture,
    `git checkout -qb side; head -c 1200000 /dev/urandom > large; git add large; git commit -qm large
     echo s > small; git add small; git commit -qm small; git gc -q; git checkout -q carrel/a`,
  );
  expect(made.status).toBe(0);
  expect(refusal(fixture)).toContain('refs/heads/side');
  fixture.ok('down', 'a', '--discard-commits');
  fixture.ok('restore', 'a');
  expect(inside(fixture, 'git log --format=%s -2 side; git cat-file -s side:large').stdout).toBe(
    'small\nlarge\n1200000\n',
  );
});

thoroughTest(
  'parts of the inner git directory that a snapshot cannot hold block a removal, and a forced one reports them',
  () => {
    const fixture = makeFull();
    // Nothing but its size is ever looked at.
    const huge = join(placeOf(fixture), 'git/objects/huge.pack');
    writeFileSync(huge, '');
    truncateSync(huge, 3 * 1024 ** 3);
    expect(refusal(fixture)).toContain('.git/objects/huge.pack');
    const { stderr, status } = fixture.run('down', 'a', '--discard-commits');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^warning: .*\.git\/objects\/huge\.pack/m);
  },
);

test('the private home is in the snapshot without its caches, and is restored', () => {
  const fixture = makeFull();
  inside(
    fixture,
    `cd; echo n > notes; mkdir -p .cache/x .npm .config/empty project/node_modules; echo c > .cache/x/y
     echo k > key; chmod 600 key; echo t > project/tool; chmod 755 project/tool; ln -s notes link
     echo m > project/node_modules/m; git init -q project; echo w > project/work`,
  );
  fixture.ok('down', 'a');
  const [snapshot] = fixture.carrel.json<Snapshot[]>(fixture.repository, 'snapshots', 'a');
  expect(snapshot?.omitted.map(({ path }) => path)).toContain('~/.cache');
  fixture.ok('restore', 'a');
  expect(inside(fixture, 'cd; cat notes link key project/tool project/work').stdout).toBe('n\nn\nk\nt\nw\n');
  expect(
    inside(
      fixture,
      'cd; ls; test ! -e .cache; test -d .config/empty; stat -c %a key project/tool; git -C project status --short',
    ).stdout,
  ).toBe('key\nlink\nnotes\nproject\n600\n755\n?? node_modules/\n?? tool\n?? work\n');
});

thoroughTest('a private home that is too large for a snapshot stops a removal', () => {
  const fixture = makeFull('snapshots:\n  ignoredLimit: 10KB\n');
  inside(fixture, 'head -c 20000 /dev/zero > ~/large; echo n > ~/notes');
  expect(refusal(fixture)).toContain('~/large');
  fixture.ok('down', 'a', '--discard-changes');
  fixture.ok('restore', 'a');
  expect(inside(fixture, 'ls ~').stdout).toBe('notes\n');
});

thoroughTest('the private home of a directory without git is restored too', () => {
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

thoroughTest('the private home of a surgical sandbox is restored, with later files', () => {
  const fixture = makeFull('  git: surgical\n');
  inside(fixture, 'echo n > ~/notes; git config --global user.name Other');
  fixture.ok('down', 'a');
  fixture.ok('restore', 'a');
  expect(inside(fixture, 'cat ~/notes; git config user.name').stdout).toBe('n\nOther\n');
});

thoroughTest(
  'commits on the workspace branch are imported even when another branch is checked out since',
  () => {
    const fixture = makeFull();
    inside(fixture, 'git commit -q --allow-empty -m own; git checkout -q -b other origin/main');
    expect(git(fixture.repository, 'log', '--format=%s', '-1', 'carrel/a')).toBe('own');
    inside(fixture, 'git commit -q --allow-empty -m apart');
    expect(git(fixture.repository, 'log', '--format=%s', '-1', 'carrel/a')).toBe('own');
    expect(refusal(fixture)).toMatch(/own.*refs\/heads\/other/);
  },
);

thoroughTest(
  'commits on a detached HEAD, and on one of a worktree that was made inside, stop a removal',
  () => {
    const fixture = makeFull();
    inside(fixture, 'git checkout -q --detach; git commit -q --allow-empty -m loose; echo ~');
    expect(refusal(fixture)).toContain('"HEAD"');
    inside(fixture, 'git checkout -q carrel/a; git worktree add -q --detach ~/more');
    inside(fixture, 'git -C ~/more commit -q --allow-empty -m far');
    expect(refusal(fixture)).toContain('"worktrees/more/HEAD"');
  },
);

thoroughTest('ten thousand tags of the repository do not hide a branch that was made inside', () => {
  const repository = makeRepository(DESK_FILES);
  const head = git(repository, 'rev-parse', 'HEAD');
  const tags = Array.from({ length: 10_001 }, (_, at) => `${head} refs/tags/t${at}\n`);
  writeFileSync(
    join(repository, '.git/packed-refs'),
    `# pack-refs with: peeled fully-peeled \n${tags.sort().join('')}`,
  );
  const fixture = makeFull('', repository);
  inside(fixture, 'git branch same');
  fixture.ok('show', 'a');
  inside(fixture, 'git checkout -q -b side; git commit -q --allow-empty -m side; git checkout -q carrel/a');
  const details = refusal(fixture);
  expect(details).toContain('refs/heads/side');
  expect(details).not.toContain('refs/tags');
});

thoroughTest('unreadable refs inside stop a removal', () => {
  const fixture = makeFull();
  inside(fixture, 'git pack-refs --all');
  truncateSync(join(placeOf(fixture), 'git/packed-refs'), 65 * 1024 ** 2);
  expect(refusal(fixture)).toContain('packed-refs');
});

test('gc plans to keep what it would keep', () => {
  const fixture = makeFull();
  inside(fixture, 'git checkout -q -b side; git commit -q --allow-empty -m side; git checkout -q carrel/a');
  const plan = fixture.carrel.json<GcReport>(fixture.repository, 'gc', '--older-than', '0s');
  expect(plan.items.find(item => item.kind === 'workspace')).toMatchObject({
    action: 'keep',
    reason: expect.stringContaining('refs/heads/side'),
  });
});

thoroughTest('commits that a setup command made inside before it failed are kept', () => {
  const setup =
    'git checkout -q -b side; git commit -q --allow-empty -m side; git checkout -q carrel/a; exit 7';
  const carrel = createTidyCarrel();
  const repository = makeRepository(DESK_FILES);
  const config = `sandbox:\n  runtime: bubblewrap\nworkspace:\n  setup: ["${setup}"]\n`;
  writeFiles(carrel.home, { 'config/carrel/config.yaml': config });
  const failed = carrel.run(repository, 'up', 'a', ...FULL);
  expect(failed.status).not.toBe(0);
  expect(failed.stderr).toMatch(/the work in a was kept; restore it with: carrel restore snap_/);
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'sandbox:\n  runtime: bubblewrap\n' });
  carrel.ok(repository, 'restore', 'a');
  const log = ['exec', 'a', '--', 'git', 'log', '-1', '--format=%s', 'side'];
  expect(carrel.run(repository, ...log).stdout).toBe('side\n');
});
