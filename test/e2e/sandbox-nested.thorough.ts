import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { perl } from '../escape/program.js';
import { createTidyCarrel, DESK_FILES, makeDesk } from '../helpers/desk.js';
import { fingerprint } from '../helpers/fingerprint.js';
import { makeOrdinaryDesk } from '../helpers/ordinary-desk.js';
import { git, makeRepository, writeFiles } from '../helpers/repository.js';
import { requireBubblewrap } from '../helpers/sandboxed.js';
import { UNCOVER } from '../helpers/uncover.js';

beforeEach(requireBubblewrap);

const CONFIG = 'sandbox:\n  runtime: bubblewrap\n  nested: allow\n';
const UP = ['--isolation', 'full', '--strict'];
const ACCEPTED = ['--discard-changes', '--discard-commits'];

test('where sandboxes may be made inside, git works inside, and outside it finds no repository', () => {
  const desk = makeDesk({ up: UP, config: CONFIG });
  const before = fingerprint(desk.repository);
  const script = 'echo 1 > one.txt; git add .; git commit -qm one; echo 2 > two.txt; git status --porcelain';
  const { status, stdout } = desk.run('exec', 'a', '--', 'sh', '-c', script);
  expect({ status, stdout }).toEqual({ status: 0, stdout: '?? two.txt\n' });
  expect(git(desk.repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('one');
  expect(() => desk.git('status')).toThrow(/not a git repository: .*closed/);
  expect(desk.carrel.json<unknown[]>(desk.repository, 'ls')).toMatchObject([
    { ahead: 1, changes: { untracked: 1, staged: 0, unstaged: 0 } },
  ]);
  expect(desk.ok('diff', 'a')).toContain('two.txt');
  desk.ok('snapshot', 'a');
  desk.ok('down', 'a', ...ACCEPTED);
  expect(existsSync(desk.path)).toBe(false);
  desk.ok('restore', 'a');
  expect(desk.run('exec', 'a', '--', 'sh', '-c', 'git log -1 --format=%s; cat two.txt').stdout).toBe(
    'one\n2\n',
  );
  expect(() => desk.git('status')).toThrow(/not a git repository: .*closed/);
  expect(fingerprint(desk.repository)).toEqual(before);
  desk.ok('land', 'a', '-m', 'two');
  expect(git(desk.repository, 'show', 'main:two.txt')).toBe('2');
});

test('a bare repository made of the workspace itself has no say outside', () => {
  const desk = makeDesk({ up: UP, config: CONFIG });
  const marker = join(desk.carrel.home, 'marker');
  const script = `git init -q --bare . && git -C . --git-dir . config core.fsmonitor 'touch ${marker}'`;
  expect(desk.run('exec', 'a', '--', 'sh', '-c', script).status).toBe(0);
  expect(existsSync(join(desk.path, 'config'))).toBe(true);
  expect(() => desk.git('status')).toThrow(/not a git repository: .*closed/);
  desk.ok('diff', 'a');
  desk.ok('ls');
  expect(existsSync(marker)).toBe(false);
});

test('it can not be had together with the repository itself', () => {
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
  'who uncovers the .git inside and puts a %s of his own there is found out, and nothing of it is obeyed',
  kind => {
    const desk = makeOrdinaryDesk({ up: UP, config: CONFIG });
    expect(desk.run('exec', 'a', '--', 'bwrap', '--ro-bind', '/', '/', 'echo', 'nested').stdout).toBe(
      'nested\n',
    );
    const closed = readFileSync(join(desk.path, '.git'), 'utf8');
    const marker = join(desk.path, '..', 'marker');
    const { text } = perl(REPLACE_COVERED);
    const attack = desk.run('exec', 'a', '--', 'perl', '-e', text, desk.path, marker, kind);
    expect(attack.stdout).toBe('ESCAPED .git was replaced\n');
    expect(readFileSync(join(desk.path, 'stolen'), 'utf8')).toBe(closed);
    expect(lstatSync(join(desk.path, '.git')).isDirectory()).toBe(kind === 'directory');
    for (const command of [
      'exec a -- true',
      'snapshot a',
      'diff a',
      'land a',
      `down a ${ACCEPTED.join(' ')}`,
    ]) {
      const refused = desk.run(...command.split(' '));
      expect({ command, status: refused.status, stderr: refused.stderr }).toMatchObject({
        status: 3,
        stderr: expect.stringContaining('is no longer the workspace a but'),
      });
    }
    expect(desk.run('ls').status).toBe(0);
    expect(existsSync(marker)).toBe(false);
    expect(existsSync(join(desk.path, 'README.md'))).toBe(true);
  },
);
