import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Carrel } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { commitFiles, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { describeRefusal } from '../../helpers/workspace/refusal.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

// Commands that run in a new workspace, and whose they are.

interface Scene {
  readonly carrel: Carrel;
  readonly repository: string;
  readonly temporary: string;
}

/** `repository` and `user` are the two configuration files. */
function makeScene(files: { repository?: string; user?: string }): Scene {
  const carrel = createTidyCarrel();
  const repository = makeRepository();
  if (files.repository !== undefined) configure(repository, files.repository);
  if (files.user !== undefined) writeFiles(carrel.home, { 'config/carrel/config.yaml': files.user });
  return { carrel, repository, temporary: carrel.env.TMPDIR as string };
}

function configure(repository: string, yaml: string): void {
  commitFiles(repository, { '.carrel/config.yaml': yaml });
}

/** Nothing is there but what stood there before, in the repository and in Carrel's directories. */
function expectNothingMade(scene: Scene): void {
  expect(scene.carrel.json(scene.repository, 'ls')).toEqual([]);
  expect(findLeftovers(scene)).toEqual([]);
}

test('commands of the repository are shown and do not run before they were approved', () => {
  const scene = makeScene({ repository: 'workspace:\n  setup:\n    - echo one > one.txt\n    - echo two\n' });
  const { carrel, repository } = scene;
  const outcome = carrel.run(repository, 'up', 'a', '--json');
  expect(describeRefusal(outcome, { repository })).toMatchInlineSnapshot(`
    "SETUP_NOT_TRUSTED, exit status 3
    <repository> wants to run commands that you have not approved: echo one > one.txt ; echo two
    hint: approve them with: carrel trust — or skip them with --no-setup"
  `);
  expectNothingMade(scene);
  expect(carrel.json(repository, 'trust', '--list')).toMatchObject({
    trusted: false,
    commands: ['echo one > one.txt', 'echo two'],
  });
  expect(carrel.json(repository, 'trust', '--yes')).toMatchObject({ trusted: true });
  const path = carrel.ok(repository, 'up', 'a');
  expect(readFileSync(join(path, 'one.txt'), 'utf8')).toBe('one\n');
});

thoroughTest('one character more or less is another text, and a revoked approval does not count', () => {
  const { carrel, repository } = makeScene({ repository: 'workspace:\n  setup: ["echo one"]\n' });
  carrel.ok(repository, 'trust', '--yes');
  configure(repository, 'workspace:\n  setup: ["echo one "]\n');
  expect(carrel.error(repository, 'up', 'a')).toMatchObject({ status: 3, code: 'SETUP_NOT_TRUSTED' });
  configure(repository, 'workspace:\n  setup: ["echo one"]\n');
  expect(carrel.run(repository, 'up', 'a').status).toBe(0);
  expect(carrel.json(repository, 'trust', '--revoke')).toMatchObject({ trusted: false, revoked: 1 });
  expect(carrel.error(repository, 'up', 'b')).toMatchObject({ status: 3, code: 'SETUP_NOT_TRUSTED' });
});

test('an approval holds for one repository only', () => {
  const { carrel, repository } = makeScene({ repository: 'workspace:\n  setup: ["echo one"]\n' });
  carrel.ok(repository, 'trust', '--yes');
  const other = makeRepository();
  configure(other, 'workspace:\n  setup: ["echo one"]\n');
  expect(carrel.error(other, 'up', 'a')).toMatchObject({ code: 'SETUP_NOT_TRUSTED' });
});

thoroughTest('--trust says yes for one call, --no-setup leaves the commands out', () => {
  const { carrel, repository } = makeScene({ repository: 'workspace:\n  setup: ["echo one > one.txt"]\n' });
  const made = (path: string) => existsSync(join(path, 'one.txt'));
  expect(made(carrel.ok(repository, 'up', 'a', '--trust'))).toBe(true);
  expect(carrel.error(repository, 'up', 'b')).toMatchObject({ code: 'SETUP_NOT_TRUSTED' });
  expect(made(carrel.ok(repository, 'up', 'b', '--no-setup'))).toBe(false);
});

test('commands of the user’s own file need no approval, and run with the variables of the workspace', () => {
  const { carrel, repository } = makeScene({
    user: 'workspace:\n  setup: ["echo $CARREL_WORKSPACE $CARREL_PORT > who.txt"]\n',
  });
  const { path, ports } = carrel.json<{ path: string; ports: number[] }>(repository, 'up', 'a');
  expect(readFileSync(join(path, 'who.txt'), 'utf8')).toBe(`a ${ports[0]}\n`);
});

thoroughTest('commands that a template of the repository brings are the repository’s too', () => {
  const yaml = 'templates:\n  web:\n    setup: ["echo web > web.txt"]\n';
  const { carrel, repository } = makeScene({ repository: yaml });
  expect(carrel.run(repository, 'up', 'plain').status).toBe(0);
  expect(carrel.error(repository, 'up', 'a', '--template', 'web')).toMatchObject({
    code: 'SETUP_NOT_TRUSTED',
  });
  carrel.ok(repository, 'trust', '--yes');
  const path = carrel.ok(repository, 'up', 'a', '--template', 'web');
  expect(existsSync(join(path, 'web.txt'))).toBe(true);
});

test('a command that fails takes everything back and shows the end of its output', () => {
  const command = 'for i in $(seq 30); do echo line $i; done; echo to stderr >&2; exit 7';
  const scene = makeScene({ user: `workspace:\n  setup:\n    - ${command}\n    - touch never\n` });
  const before = fingerprint(scene.repository);
  const outcome = scene.carrel.run(scene.repository, 'up', 'a');
  expect(outcome).toMatchObject({ status: 1, stdout: '' });
  expect(outcome.stderr).toContain(`setup command failed (exit status 7): ${command}`);
  expect(outcome.stderr).toContain('line 30\n  to stderr\n');
  expect(outcome.stderr).not.toContain('line 11\n');
  expect(outcome.stderr).toContain('hint: fix the command, or skip setup with --no-setup\n');
  expect(fingerprint(scene.repository)).toEqual(before);
  expectNothingMade(scene);
});

thoroughTest('a command that leaves a process behind and fails has that ended too', () => {
  const scene = makeScene({ user: 'workspace:\n  setup: ["sleep 300 & echo $! > pid; cat pid; exit 1"]\n' });
  const { stderr } = scene.carrel.run(scene.repository, 'up', 'a');
  const pid = /^ {2}(\d+)$/m.exec(stderr)?.[1] as string;
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' });
  expect(stdout.trim()).toMatch(/^(Z.*)?$/);
  expectNothingMade(scene);
});

test('a command that takes too long is killed, and everything is undone', () => {
  const scene = makeScene({
    user: 'workspace:\n  setupTimeout: 400ms\n  setup: ["echo begun; sleep 100"]\n',
  });
  const { status, code, message } = scene.carrel.error(scene.repository, 'up', 'a');
  expect({ status, code, message }).toEqual({
    status: 1,
    code: 'SETUP_FAILED',
    message: 'setup command failed (time limit): echo begun; sleep 100\nbegun',
  });
  expectNothingMade(scene);
});

thoroughTest('install: auto installs what the lock file names, once it is approved', () => {
  const { carrel, repository } = makeScene({});
  commitFiles(repository, { ...npmPackage, '.carrel/config.yaml': 'workspace:\n  install: auto\n' });
  expect(carrel.error(repository, 'up', 'a')).toMatchObject({
    code: 'SETUP_NOT_TRUSTED',
    details: { commands: ['workspace.install: auto'] },
  });
  const outcome = carrel.run(repository, 'up', 'a', '--trust');
  expect(outcome.stderr).toContain('install: npm ci\n');
  const path = outcome.stdout.trim();
  expect(readFileSync(join(path, 'node_modules/tiny/index.js'), 'utf8')).toBe('exports.tiny = true;\n');
  // Installed packages are ignored and can be had again: nothing to lose.
  expect(carrel.run(repository, 'down', 'a').status).toBe(0);
});

thoroughTest('a missing package manager is a warning, and the workspace is kept', () => {
  const { carrel, repository } = makeScene({ user: 'workspace:\n  install: auto\n' });
  commitFiles(repository, { 'Cargo.lock': '' });
  const PATH = tempDir();
  const git = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
  symlinkSync(git, join(PATH, 'git'));
  const outcome = carrel.runWith({ PATH }, repository, 'up', 'a', '--json');
  expect(JSON.parse(outcome.stdout).warnings).toEqual([
    'the dependencies in Cargo.lock were not installed: cargo was not found on PATH',
  ]);
});

/** A package with one dependency that lies in the repository itself, so that nothing is fetched. */
const npmPackage = {
  '.gitignore': 'node_modules\n',
  '.npmrc': 'audit=false\nfund=false\noffline=true\n',
  'package.json': JSON.stringify({
    name: 'app',
    version: '1.0.0',
    dependencies: { tiny: 'file:vendor/tiny' },
  }),
  'package-lock.json': JSON.stringify({
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'app', version: '1.0.0', dependencies: { tiny: 'file:vendor/tiny' } },
      'node_modules/tiny': { resolved: 'vendor/tiny', link: true },
      'vendor/tiny': { version: '1.0.0' },
    },
  }),
  'vendor/tiny/package.json': JSON.stringify({ name: 'tiny', version: '1.0.0' }),
  'vendor/tiny/index.js': 'exports.tiny = true;\n',
};
