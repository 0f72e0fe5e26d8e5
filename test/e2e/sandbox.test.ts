import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { WorkspaceDetails } from '../../src/domain/workspace.js';
import { createTidyCarrel, DESK_FILES, type Desk, makeDesk } from '../helpers/desk.js';
import { fingerprint } from '../helpers/fingerprint.js';
import { git, makeRepository, writeFiles } from '../helpers/repository.js';
import { pathWithout, requireBubblewrap } from '../helpers/sandboxed.js';
import { tempDir } from '../helpers/temp.js';

beforeEach(requireBubblewrap);

const FULL = ['--isolation', 'full', '--strict'];

const makeFull = (config = ''): Desk =>
  makeDesk({ up: FULL, config: `sandbox:\n  runtime: bubblewrap\n${config}` });

const inside = (desk: Desk, script: string) => desk.run('exec', 'a', '--', 'sh', '-c', script);

test('a command commits, writes in a private home, reads no secret, and the checkout is as it was', () => {
  const repository = makeRepository(DESK_FILES);
  const before = fingerprint(repository);
  const desk = makeDesk({ repository, up: FULL });
  const attempt = inside(desk, 'git commit --allow-empty -m inside && touch ~/x && cat /etc/shadow');
  expect(attempt.status).not.toBe(0);
  expect(attempt.stderr).toContain('/etc/shadow');
  expect(inside(desk, 'ls ~').stdout).toBe('x\n');
  expect(existsSync(join(desk.carrel.home, 'x'))).toBe(false);
  expect(git(repository, 'log', '--format=%s', 'carrel/a', '-1')).toBe('inside');
  expect(fingerprint(repository)).toEqual(before);
});

test('outside, the workspace is an ordinary worktree that follows what was committed inside', () => {
  const desk = makeFull();
  inside(desk, 'echo more >> README.md && git commit -qam one && echo two > new.txt && echo x >> README.md');
  expect(desk.git('status', '--porcelain')).toBe(' M README.md\n?? new.txt');
  expect(desk.git('log', '--format=%s', '-1')).toBe('one');
  expect(desk.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('carrel/a');
  expect(readFileSync(join(desk.path, '.git'), 'utf8')).toContain(join('.git', 'worktrees', desk.id));
});

test('what is committed outside is there inside with the next command', () => {
  const desk = makeFull();
  inside(desk, 'git commit -q --allow-empty -m inside');
  writeFileSync(join(desk.path, 'mine.txt'), 'mine\n');
  desk.git('add', 'mine.txt');
  desk.git('commit', '-qm', 'outside');
  expect(inside(desk, 'git log --format=%s -2 && git status --porcelain').stdout).toBe('outside\ninside\n');
  inside(desk, 'git commit -q --allow-empty -m after');
  expect(desk.git('log', '--format=%s', '-3')).toBe('after\noutside\ninside');
});

test('git inside does all that git does', () => {
  const desk = makeFull();
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
  const { stdout, stderr, status } = inside(desk, script);
  expect({ stdout: stdout.split('\n').at(-2), status, stderr }).toEqual({
    stdout: 'done',
    status: 0,
    stderr: expect.not.stringContaining('error'),
  });
  expect(git(desk.repository, 'fsck', '--no-dangling')).toBe('');
});

test('a stash and other branches inside stop a removal, and survive one that is wanted', () => {
  const desk = makeFull();
  inside(
    desk,
    'echo s >> README.md; git stash -q; git checkout -q -b try; git commit -q --allow-empty -m try',
  );
  inside(desk, 'git checkout -q carrel/a');
  const refused = desk.carrel.error(desk.repository, 'down', 'a');
  expect(refused).toMatchObject({ status: 3, code: 'REMOVAL_REFUSED' });
  expect(JSON.stringify(refused.details)).toMatch(/refs\/heads\/try.*refs\/stash/);
  desk.ok('down', 'a', '--discard-commits');
  expect(readdirSync(join(desk.carrel.stateDir, 'sandboxes')).filter(name => name !== '.runtime')).toEqual(
    [],
  );
  desk.ok('restore', 'a');
  expect(inside(desk, 'git stash list --format=%gs; git log -1 --format=%s try').stdout).toMatch(
    /WIP.*\ntry\n/,
  );
});

test('setup commands run inside', () => {
  const config = `workspace:\n  setup: ["id -un > ~/who; echo made > made.txt; ls $HOME > home.txt"]\n`;
  const desk = makeFull(config);
  expect(readFileSync(join(desk.path, 'home.txt'), 'utf8')).toBe('who\n');
  expect(inside(desk, 'cat made.txt').stdout).toBe('made\n');
});

test('nothing of the caller is in the environment but what the configuration names', () => {
  const desk = makeFull('  passEnvironment: [WANTED]\n');
  const secrets = { WANTED: 'yes', SECRET: 'no', SSH_AUTH_SOCK: '/run/agent' };
  const { stdout } = desk.carrel.runWith(secrets, desk.repository, 'exec', 'a', '--', 'env');
  expect(stdout).toContain('WANTED=yes\n');
  expect(stdout).not.toMatch(/SECRET|SSH_AUTH_SOCK/);
  expect(stdout).toContain('HOME=/home/agent\n');
});

test('landing takes what was committed inside, and refuses what could not be taken back', () => {
  const desk = makeFull();
  inside(
    desk,
    'echo fine > fine.txt; git add .; git commit -qm fine; ln -s /etc/passwd link; git add link; git commit -qm bad',
  );
  const refused = desk.carrel.error(desk.repository, 'land', 'a');
  expect(refused).toMatchObject({ status: 3, code: 'TAKE_BACK_REFUSED' });
  expect(refused.message).toContain('link');
  inside(desk, 'git rm -q link; git reset -q --soft HEAD~1; git commit -q --allow-empty -m fine2');
  desk.ok('land', 'a');
  expect(git(desk.repository, 'show', 'main:fine.txt')).toBe('fine');
});

test('landing with a message commits inside what is uncommitted', () => {
  const desk = makeFull();
  inside(desk, 'echo new > new.txt; echo more >> README.md');
  desk.ok('land', 'a', '-m', 'all of it');
  expect(git(desk.repository, 'show', 'main:new.txt')).toBe('new');
  expect(git(desk.repository, 'log', '--format=%s', '-1', 'main')).toBe('all of it');
});

test('without the runtime nothing runs, and the work can still be held, removed and restored', () => {
  const desk = makeFull();
  inside(desk, 'git commit -q --allow-empty -m inside; echo dirty > dirty.txt');
  const without = { PATH: pathWithout('bwrap', 'podman', 'docker') };
  const refused = desk.carrel.runWith(without, desk.repository, 'exec', 'a', '--', 'touch', 'marker');
  expect(refused.status).toBe(4);
  expect(refused.stderr).toMatch(/bubblewrap can't be used.*\nhint: /);
  expect(existsSync(join(desk.path, 'marker'))).toBe(false);
  expect(desk.carrel.runWith(without, desk.repository, 'snapshot', 'a').status).toBe(0);
  const flags = ['--discard-changes', '--discard-commits'];
  expect(desk.carrel.runWith(without, desk.repository, 'down', 'a', ...flags).status).toBe(0);
  desk.ok('restore', 'a');
  expect(inside(desk, 'cat dirty.txt; git log -1 --format=%s').stdout).toBe('dirty\ninside\n');
});

test('what can not be had is refused with --strict, and else falls back with the reason on record', () => {
  const carrel = createTidyCarrel();
  const repository = makeRepository(DESK_FILES);
  const without = { PATH: pathWithout('bwrap', 'podman', 'docker') };
  const strict = carrel.runWith(without, repository, 'up', 'a', ...FULL);
  expect(strict.status).toBe(4);
  expect(strict.stderr).toMatch(/isolation full .*no bwrap/);
  expect(carrel.ok(repository, 'ls', '--json')).toBe('[]');
  const fallen = carrel.runWith(without, repository, 'up', 'a', '--isolation', 'full', '--json');
  const { isolation, warnings } = JSON.parse(fallen.stdout) as WorkspaceDetails;
  expect(isolation).toMatchObject({ requested: 'full', effective: 'worktree' });
  expect(isolation.reason).toContain('no bwrap');
  expect(warnings).toEqual([expect.stringContaining('isolation full was asked for, this is worktree')]);
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'isolation:\n  onUnavailable: fail\n' });
  expect(carrel.runWith(without, repository, 'up', 'b', '--isolation', 'full').status).toBe(4);
});

test('the doctor and init know whether there is a runtime', () => {
  const carrel = createTidyCarrel();
  const repository = makeRepository(DESK_FILES);
  const without = { PATH: pathWithout('bwrap', 'podman', 'docker') };
  const none = carrel.runWith(without, repository, 'doctor').stdout;
  expect(none).toMatch(/^! isolation full +no sandboxed runtime works here/m);
  expect(none).toMatch(/^- bubblewrap +there is no bwrap/m);
  expect(carrel.runWith(without, repository, 'init').stderr).toMatch(/isolation "full" can't be had here/);
  const only = carrel.runWith({ PATH: pathWithout('podman', 'docker') }, repository, 'doctor').stdout;
  expect(only).toMatch(/^✓ isolation full +commands run in bubblewrap/m);
  expect(only).toMatch(/^- podman/m);
});

test('a plain copy can have a sandbox too, without any git', () => {
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

test('a file that the user owns comes out, whatever modes it was given inside', () => {
  const desk = makeFull();
  inside(
    desk,
    'mkdir -p closed/deep && echo x > closed/deep/x && chmod 0500 closed/deep closed && mkdir ~/shut && chmod 0 ~/shut',
  );
  expect(desk.run('down', 'a', '--discard-changes').status).toBe(0);
  expect(existsSync(desk.path)).toBe(false);
});

test('a directory that is too deep to be looked at is named, and is the sandbox’s own to delete', () => {
  const desk = makeFull();
  const dig = 'perl -e \'for (1..60) { mkdir "x" x 100; chdir "x" x 100 } open F, ">f"\'';
  expect(inside(desk, dig).status).toBe(0);
  for (const command of [
    ['show', 'a'],
    ['down', 'a', '--discard-changes'],
  ])
    expect(desk.carrel.error(desk.repository, ...command)).toMatchObject({ code: 'FILE_UNREADABLE' });
  inside(desk, 'rm -rf xxx*');
  expect(desk.run('down', 'a').status).toBe(0);
});
