import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import type { WorkspaceReport } from '../../../src/operations/workspace/show.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
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

const makeFull = (config = ''): Fixture =>
  makeFixture({ up: FULL, config: `sandbox:\n  runtime: bubblewrap\n${config}` });

const inside = (fixture: Fixture, script: string) => fixture.run('exec', 'a', '--', 'sh', '-c', script);

test('a command commits, writes to a private home and reads no secret, and the checkout is unchanged', () => {
  const repository = makeRepository(DESK_FILES);
  const before = fingerprint(repository);
  const fixture = makeFixture({ repository, up: FULL });
  const attempt = inside(fixture, 'git commit --allow-empty -m inside && touch ~/x && cat /etc/shadow');
  expect(attempt.status).not.toBe(0);
  expect(attempt.stderr).toContain('/etc/shadow');
  expect(inside(fixture, 'ls ~').stdout).toBe('x\n');
  expect(existsSync(join(fixture.carrel.home, 'x'))).toBe(false);
  expect(git(repository, 'log', '--format=%s', 'carrel/a', '-1')).toBe('inside');
  expect(fingerprint(repository)).toEqual(before);
});

test('outside, the workspace is an ordinary worktree that follows the commits made inside', () => {
  const fixture = makeFull();
  inside(
    fixture,
    'echo more >> README.md && git commit -qam one && echo two > new.txt && echo x >> README.md',
  );
  expect(fixture.git('status', '--porcelain')).toBe(' M README.md\n?? new.txt');
  expect(fixture.git('log', '--format=%s', '-1')).toBe('one');
  expect(fixture.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('carrel/a');
  expect(readFileSync(join(fixture.path, '.git'), 'utf8')).toContain(join('.git', 'worktrees', fixture.id));
});

thoroughTest('commits made outside are visible inside for the next command', () => {
  const fixture = makeFull();
  inside(fixture, 'git commit -q --allow-empty -m inside');
  writeFileSync(join(fixture.path, 'mine.txt'), 'mine\n');
  fixture.git('add', 'mine.txt');
  fixture.git('commit', '-qm', 'outside');
  expect(inside(fixture, 'git log --format=%s -2 && git status --porcelain').stdout).toBe(
    'outside\ninside\n',
  );
  inside(fixture, 'git commit -q --allow-empty -m after');
  expect(fixture.git('log', '--format=%s', '-3')).toBe('after\noutside\ninside');
});

test('git inside does all that git does', () => {
  const fixture = makeFull();
  const script = `set -e
    echo 1 > one.txt; git add .; git commit -qm one
    echo 2 > two.txt; git add .; git commit -qm two; git commit -q --amend -m 'two, amended'
    git tag v1; git branch other HEAD~1; git checkout -q other; echo o > other.txt; git add .; git commit -qm other
    git checkout -q carrel/a; git merge -q -m merged other
    GIT_SEQUENCE_EDITOR='sed -i 1s/pick/reword/' GIT_EDITOR='sed -i s/one/uno/' git rebase -q -i HEAD~2
    echo s >> one.txt; git stash -q; git stash pop -q; git checkout -q one.txt
    git bisect start HEAD HEAD~2 >/dev/null; git bisect reset >/dev/null 2>&1
    git worktree add -q /tmp/other -b elsewhere; git -C /tmp/other status --porcelain; git worktree remove /tmp/other
    git gc -q --prune=now; git fsck 2>&1 | grep -v dangling || true; git submodule status; git status --porcelain
    git log --format=%s -1 origin/main; echo done`;
  const { stdout, stderr, status } = inside(fixture, script);
  expect({ stdout: stdout.split('\n').at(-2), status, stderr }).toEqual({
    stdout: 'done',
    status: 0,
    stderr: expect.not.stringContaining('error'),
  });
  expect(git(fixture.repository, 'fsck', '--no-dangling')).toBe('');
});

test('a stash and other branches inside stop a removal, and survive a forced one', () => {
  const fixture = makeFull();
  inside(
    fixture,
    'echo s >> README.md; git stash -q; git checkout -q -b try; git commit -q --allow-empty -m try',
  );
  inside(fixture, 'git checkout -q carrel/a');
  const refused = fixture.carrel.error(fixture.repository, 'down', 'a');
  expect(refused).toMatchObject({ status: 3, code: 'REMOVAL_REFUSED' });
  expect(JSON.stringify(refused.details)).toMatch(/refs\/heads\/try.*refs\/stash/);
  fixture.ok('down', 'a', '--discard-commits');
  expect(readdirSync(join(fixture.carrel.stateDir, 'sandboxes')).filter(name => name !== '.runtime')).toEqual(
    [],
  );
  fixture.ok('restore', 'a');
  expect(inside(fixture, 'git stash list --format=%gs; git log -1 --format=%s try').stdout).toMatch(
    /WIP.*\ntry\n/,
  );
});

test('setup commands run inside', () => {
  const config = `workspace:\n  setup: ["id -un > ~/who; echo made > made.txt; ls $HOME > home.txt"]\n`;
  const fixture = makeFull(config);
  expect(readFileSync(join(fixture.path, 'home.txt'), 'utf8')).toBe('who\n');
  expect(inside(fixture, 'cat made.txt').stdout).toBe('made\n');
});

test('the environment contains nothing of the caller except what the configuration names', () => {
  const fixture = makeFull('  passEnvironment: [WANTED]\n');
  const secrets = { WANTED: 'yes', SECRET: 'no', SSH_AUTH_SOCK: '/run/agent' };
  const { stdout } = fixture.carrel.runWith(secrets, fixture.repository, 'exec', 'a', '--', 'env');
  expect(stdout).toContain('WANTED=yes\n');
  expect(stdout).not.toMatch(/SECRET|SSH_AUTH_SOCK/);
  expect(stdout).toContain('HOME=/home/agent\n');
});

thoroughTest('landing includes commits made inside, and refuses what could not be imported', () => {
  const fixture = makeFull();
  inside(
    fixture,
    'echo fine > fine.txt; git add .; git commit -qm fine; ln -s /etc/passwd link; git add link; git commit -qm bad',
  );
  const refused = fixture.carrel.error(fixture.repository, 'land', 'a');
  expect(refused).toMatchObject({ status: 3, code: 'TAKE_BACK_REFUSED' });
  expect(refused.message).toContain('link');
  inside(fixture, 'git rm -q link; git reset -q --soft HEAD~1; git commit -q --allow-empty -m fine2');
  fixture.ok('land', 'a');
  expect(git(fixture.repository, 'show', 'main:fine.txt')).toBe('fine');
});

thoroughTest('landing with a message commits uncommitted changes inside', () => {
  const fixture = makeFull();
  inside(fixture, 'echo new > new.txt; echo more >> README.md');
  fixture.ok('land', 'a', '-m', 'all of it');
  expect(git(fixture.repository, 'show', 'main:new.txt')).toBe('new');
  expect(git(fixture.repository, 'log', '--format=%s', '-1', 'main')).toBe('all of it');
});

thoroughTest(
  'without the runtime nothing runs, but the work can still be captured, removed and restored',
  () => {
    const fixture = makeFull();
    inside(fixture, 'git commit -q --allow-empty -m inside; echo dirty > dirty.txt');
    const without = { PATH: pathWithout('bwrap', 'podman', 'docker') };
    const refused = fixture.carrel.runWith(without, fixture.repository, 'exec', 'a', '--', 'touch', 'marker');
    expect(refused.status).toBe(4);
    expect(refused.stderr).toMatch(/bubblewrap can't be used.*\nhint: /);
    expect(existsSync(join(fixture.path, 'marker'))).toBe(false);
    expect(fixture.carrel.runWith(without, fixture.repository, 'snapshot', 'a').status).toBe(0);
    const flags = ['--discard-changes', '--discard-commits'];
    expect(fixture.carrel.runWith(without, fixture.repository, 'down', 'a', ...flags).status).toBe(0);
    fixture.ok('restore', 'a');
    expect(inside(fixture, 'cat dirty.txt; git log -1 --format=%s').stdout).toBe('dirty\ninside\n');
  },
);

test('an unavailable mode is refused, or falls back with a recorded reason where the user allows it', () => {
  const carrel = createTidyCarrel();
  const repository = makeRepository(DESK_FILES);
  const without = { PATH: pathWithout('bwrap', 'podman', 'docker') };
  const strict = carrel.runWith(without, repository, 'up', 'a', ...FULL);
  expect(strict.status).toBe(4);
  expect(strict.stderr).toMatch(/isolation full .*bwrap was not found/);
  expect(carrel.ok(repository, 'ls', '--json')).toBe('[]');
  expect(carrel.runWith(without, repository, 'up', 'a', '--isolation', 'full').status).toBe(4);
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'isolation:\n  onUnavailable: degrade\n' });
  const fallen = carrel.runWith(without, repository, 'up', 'a', '--isolation', 'full', '--json');
  const { isolation, warnings } = JSON.parse(fallen.stdout) as WorkspaceDetails;
  expect(isolation).toMatchObject({ requested: 'full', effective: 'worktree' });
  expect(isolation.reason).toContain('bwrap was not found');
  expect(warnings).toEqual([expect.stringContaining('isolation full was requested, using worktree instead')]);
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'isolation:\n  onUnavailable: fail\n' });
  expect(carrel.runWith(without, repository, 'up', 'b', '--isolation', 'full').status).toBe(4);
});

thoroughTest('the doctor and init know whether there is a runtime', () => {
  const carrel = createTidyCarrel();
  const repository = makeRepository(DESK_FILES);
  const without = { PATH: pathWithout('bwrap', 'podman', 'docker') };
  const none = carrel.runWith(without, repository, 'doctor').stdout;
  expect(none).toMatch(/^! isolation full +no sandboxed runtime works here/m);
  expect(none).toMatch(/^- bubblewrap +bwrap was not found/m);
  expect(carrel.runWith(without, repository, 'init').stderr).toMatch(
    /isolation "full" is not available here/,
  );
  const only = carrel.runWith({ PATH: pathWithout('podman', 'docker') }, repository, 'doctor').stdout;
  expect(only).toMatch(/^✓ isolation full +commands run in bubblewrap/m);
  expect(only).toMatch(/^- podman/m);
});

thoroughTest('a plain copy can have a sandbox too, without any git', () => {
  const carrel = createTidyCarrel();
  const directory = tempDir();
  writeFiles(directory, { 'a.txt': 'a\n' });
  mkdirSync(join(directory, 'sub'));
  carrel.ok(directory, 'up', 'a', '--copy', directory, ...FULL);
  expect(carrel.ok(directory, 'exec', 'a', '--', 'sh', '-c', 'cat a.txt; echo b > b.txt; ls')).toBe(
    'a\na.txt\nb.txt\nsub',
  );
  carrel.ok(directory, 'down', 'a', '--discard-changes');
});

thoroughTest('a file is owned by the user outside, with any mode set inside', () => {
  const fixture = makeFull();
  inside(
    fixture,
    'mkdir -p closed/deep && echo x > closed/deep/x && chmod 0500 closed/deep closed && mkdir ~/shut && chmod 0 ~/shut',
  );
  expect(fixture.run('down', 'a', '--discard-changes').status).toBe(0);
  expect(existsSync(fixture.path)).toBe(false);
});

thoroughTest(
  'a directory that is too deep to scan is reported in its row, and is removed when discarded',
  () => {
    const fixture = makeFull();
    const dig = 'perl -e \'for (1..60) { mkdir "x" x 100; chdir "x" x 100 } open F, ">f"\'; echo x > shallow';
    expect(inside(fixture, `(${dig}); mkdir -p ~/deep; cd ~/deep; ${dig}`).status).toBe(0);
    const [row] = fixture.carrel.json<WorkspaceDetails[]>(fixture.repository, 'ls');
    expect(row?.warnings.join()).toContain("its files can't be read: ");
    expect(fixture.carrel.json<WorkspaceReport>(fixture.repository, 'show', 'a').risks).toContainEqual(
      expect.objectContaining({ kind: 'unreadable', flag: '--discard-changes' }),
    );
    expect(fixture.carrel.error(fixture.repository, 'snapshot', 'a').code).toBe('FILE_UNREADABLE');
    expect(fixture.run('down', 'a').status).toBe(3);
    const removed = fixture.run('down', 'a', '--discard-changes');
    expect(removed, removed.stderr).toMatchObject({ status: 0 });
    expect(removed.stderr).toContain("is not in the snapshot: it can't be read (ENAMETOOLONG)");
    expect(existsSync(fixture.path)).toBe(false);
    fixture.ok('restore', 'a');
    expect(inside(fixture, 'cat shallow ~/deep/shallow').stdout).toBe('x\nx\n');
  },
);
