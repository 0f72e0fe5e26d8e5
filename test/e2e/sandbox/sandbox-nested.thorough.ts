import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { perl } from '../../escape/harness/program.js';
import { UNCOVER } from '../../helpers/escape/uncover.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { createTidyCarrel, DESK_FILES, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { makeOrdinaryFixture } from '../../helpers/workspace/unprivileged-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

beforeEach(requireBubblewrap);

const CONFIG = 'sandbox:\n  runtime: bubblewrap\n  nested: allow\n';
const UP = ['--isolation', 'full', '--strict'];
const ACCEPTED = ['--discard-changes', '--discard-commits'];

test('with nested sandboxes allowed, git works inside, and outside it finds no repository', () => {
  const fixture = makeFixture({ up: UP, config: CONFIG });
  const before = fingerprint(fixture.repository);
  const script = 'echo 1 > one.txt; git add .; git commit -qm one; echo 2 > two.txt; git status --porcelain';
  const { status, stdout } = fixture.run('exec', 'a', '--', 'sh', '-c', script);
  expect({ status, stdout }).toEqual({ status: 0, stdout: '?? two.txt\n' });
  expect(git(fixture.repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('one');
  expect(() => fixture.git('status')).toThrow(/not a git repository: .*closed/);
  expect(fixture.carrel.json<unknown[]>(fixture.repository, 'ls')).toMatchObject([
    { ahead: 1, changes: { untracked: 1, staged: 0, unstaged: 0 } },
  ]);
  expect(fixture.ok('diff', 'a')).toContain('two.txt');
  fixture.ok('snapshot', 'a');
  fixture.ok('down', 'a', ...ACCEPTED);
  expect(existsSync(fixture.path)).toBe(false);
  fixture.ok('restore', 'a');
  expect(fixture.run('exec', 'a', '--', 'sh', '-c', 'git log -1 --format=%s; cat two.txt').stdout).toBe(
    'one\n2\n',
  );
  expect(() => fixture.git('status')).toThrow(/not a git repository: .*closed/);
  expect(fingerprint(fixture.repository)).toEqual(before);
  fixture.ok('land', 'a', '-m', 'two');
  expect(git(fixture.repository, 'show', 'main:two.txt')).toBe('2');
});

test('a bare repository made of the workspace itself has no say outside', () => {
  const fixture = makeFixture({ up: UP, config: CONFIG });
  const marker = join(fixture.carrel.home, 'marker');
  const script = `git init -q --bare . && git -C . --git-dir . config core.fsmonitor 'touch ${marker}'`;
  expect(fixture.run('exec', 'a', '--', 'sh', '-c', script).status).toBe(0);
  expect(existsSync(join(fixture.path, 'config'))).toBe(true);
  expect(() => fixture.git('status')).toThrow(/not a git repository: .*closed/);
  fixture.ok('diff', 'a');
  fixture.ok('ls');
  expect(existsSync(marker)).toBe(false);
});

test('it is refused together with the repository itself', () => {
  const carrel = createTidyCarrel();
  const repository = makeRepository(DESK_FILES);
  writeFiles(carrel.home, { 'config/carrel/config.yaml': `${CONFIG}  git: surgical\n` });
  const refused = carrel.run(repository, 'up', 'a', ...UP);
  expect({ status: refused.status, stderr: refused.stderr }).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(
      'sandbox.nested is "allow"; expected deny, together with sandbox.git: surgical',
    ),
  });
});

const REPLACE_COVERED = String.raw`${UNCOVER}rename('.git', 'stolen') or held("rename: $!");
mkdir 'evil' and mkdir 'evil/refs' and mkdir 'evil/objects';
open(my $head, '>', 'evil/HEAD'); print $head "ref: refs/heads/x\n"; close $head;
open(my $config, '>', 'evil/config'); print $config "[core]\n\tfsmonitor = touch $ARGV[1]\n"; close $config;
if ($ARGV[2] eq 'link') { open(my $link, '>', '.git'); print $link "gitdir: ./evil\n"; close $link }
else { rename('evil', '.git') }
escaped('.git was replaced');
`;

test.each(['link', 'directory'])(
  'an agent that uncovers the .git inside and replaces its %s is detected, and the replacement has no effect',
  kind => {
    const fixture = makeOrdinaryFixture({ up: UP, config: CONFIG });
    expect(fixture.run('exec', 'a', '--', 'bwrap', '--ro-bind', '/', '/', 'echo', 'nested').stdout).toBe(
      'nested\n',
    );
    const closed = readFileSync(join(fixture.path, '.git'), 'utf8');
    const marker = join(fixture.path, '..', 'marker');
    const { text } = perl(REPLACE_COVERED);
    const attack = fixture.run('exec', 'a', '--', 'perl', '-e', text, fixture.path, marker, kind);
    expect(attack.stdout).toBe('ESCAPED .git was replaced\n');
    expect(readFileSync(join(fixture.path, 'stolen'), 'utf8')).toBe(closed);
    expect(lstatSync(join(fixture.path, '.git')).isDirectory()).toBe(kind === 'directory');
    for (const command of [
      'exec a -- true',
      'snapshot a',
      'diff a',
      'land a',
      `down a ${ACCEPTED.join(' ')}`,
    ]) {
      const refused = fixture.run(...command.split(' '));
      expect({ command, status: refused.status, stderr: refused.stderr }).toMatchObject({
        status: 3,
        stderr: expect.stringContaining('is no longer the workspace a but'),
      });
    }
    expect(fixture.run('ls').status).toBe(0);
    expect(existsSync(marker)).toBe(false);
    expect(existsSync(join(fixture.path, 'README.md'))).toBe(true);
  },
);
