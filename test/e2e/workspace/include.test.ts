import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCarrel } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';

// Ignored files that come along.

const IGNORED = '.env*\nlocal/\nlinked\n*.key\n';

/** A checkout with ignored files, as `carrel up` finds it. */
function makeCheckout(tracked: Record<string, string> = {}): string {
  const repository = makeRepository({ '.gitignore': IGNORED, ...tracked });
  writeFiles(repository, {
    '.env': 'SECRET=1\n',
    '.env.local': 'LOCAL=1\n',
    '.env.production': 'PRODUCTION=1\n',
    'local/deep/settings.json': '{}\n',
    'server.key': 'key\n',
    'untracked.txt': 'not ignored\n',
  });
  return repository;
}

const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');

test('.worktreeinclude names ignored files, with exceptions; nothing else comes along', () => {
  const repository = makeCheckout({
    '.worktreeinclude': '.env*\n!.env.production\nuntracked.txt\nREADME.md\n',
  });
  const before = fingerprint(repository);
  const path = createCarrel().ok(repository, 'up', 'a');
  expect(read(path, '.env')).toBe('SECRET=1\n');
  expect(read(path, '.env.local')).toBe('LOCAL=1\n');
  for (const name of ['.env.production', 'server.key', 'local', 'untracked.txt'])
    expect(existsSync(join(path, name)), name).toBe(false);
  expect(fingerprint(repository)).toEqual(before);
});

test('workspace.include adds to it, and templates bring what their agents keep', () => {
  const repository = makeCheckout({
    '.worktreeinclude': '.env\n',
    '.carrel/config.yaml': 'workspace:\n  include: ["*.key", "local/"]\n',
  });
  const carrel = createCarrel();
  const path = carrel.ok(repository, 'up', 'a');
  expect(['.env', 'server.key', 'local/deep/settings.json'].every(name => existsSync(join(path, name)))).toBe(
    true,
  );
  expect(existsSync(join(path, '.env.local'))).toBe(false);
  const templated = carrel.ok(repository, 'up', 'b', '--template', 'claude', '--isolation', 'worktree');
  expect(existsSync(join(templated, '.env.local'))).toBe(true);
});

test('modes are kept, and links come along as links', () => {
  const repository = makeCheckout({ '.worktreeinclude': '*.key\nlinked\n' });
  chmodSync(join(repository, 'server.key'), 0o600);
  symlinkSync('/nowhere/at/all', join(repository, 'linked'));
  const path = createCarrel().ok(repository, 'up', 'a');
  expect(lstatSync(join(path, 'server.key')).mode & 0o777).toBe(0o600);
  expect(lstatSync(join(path, 'linked')).isSymbolicLink()).toBe(true);
});

test('what the base has is never overwritten', () => {
  const repository = makeRepository({ '.worktreeinclude': '.env\n' });
  const base = makeCommitWith(repository, { '.env': 'tracked on another branch\n' });
  writeFiles(repository, { '.gitignore': IGNORED, '.env': 'SECRET=1\n' });
  const { path, warnings } = createCarrel().json<{ path: string; warnings: string[] }>(
    repository,
    ...['up', 'a', '--base', base],
  );
  expect(read(path, '.env')).toBe('tracked on another branch\n');
  expect(warnings).toEqual(['.env was not copied: a file with that name already exists']);
});

test('a directory that is a link is not followed, neither in the source nor in the copy', () => {
  const outside = tempDir();
  writeFileSync(join(outside, 'settings.json'), 'outside\n');
  const repository = makeRepository({ '.gitignore': IGNORED, '.worktreeinclude': 'local/\n' });
  const base = makeCommitWith(repository, {}, checkout => symlinkSync(outside, join(checkout, 'local')));
  mkdirSync(join(repository, 'local'));
  writeFiles(repository, { 'local/new.json': 'new\n' });
  const { path, warnings } = createCarrel().json<{ path: string; warnings: string[] }>(
    repository,
    ...['up', 'a', '--base', base],
  );
  expect(existsSync(join(outside, 'new.json'))).toBe(false);
  expect(lstatSync(join(path, 'local')).isSymbolicLink()).toBe(true);
  expect(warnings).toEqual(['local/ was not copied: local is not a directory in the workspace']);
});

test('an unchanged one is not work; a changed one is in the snapshot and is restored', () => {
  const repository = makeCheckout({ '.worktreeinclude': '.env*\n' });
  const carrel = createCarrel();
  const path = carrel.ok(repository, 'up', 'a');
  expect(carrel.json(repository, 'show', 'a')).toMatchObject({ risks: [], changes: { untracked: 0 } });
  writeFiles(path, { '.env.local': 'CHANGED=1\n' });
  carrel.ok(repository, 'down', 'a');
  expect(carrel.json(repository, 'snapshots', 'a')).toMatchObject([{ files: 3, omitted: [] }]);
  writeFiles(repository, { '.env': 'SECRET=2\n' });
  const restored = carrel.ok(repository, 'restore', 'a');
  expect(read(restored, '.env.local')).toBe('CHANGED=1\n');
  expect(read(restored, '.env')).toBe('SECRET=1\n');
});

/** A commit on no branch of the user's that has these files; the checkout stays as it is. */
function makeCommitWith(
  repository: string,
  files: Record<string, string>,
  change: (checkout: string) => void = () => {},
): string {
  const checkout = join(tempDir(), 'checkout');
  git(repository, 'worktree', 'add', '--quiet', '--detach', checkout);
  change(checkout);
  writeFiles(checkout, files);
  git(checkout, 'add', '--force', '--all');
  git(checkout, 'commit', '--quiet', '-m', 'elsewhere');
  return git(checkout, 'rev-parse', 'HEAD');
}
