import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCarrel } from '../../helpers/carrel.js';
import { commitFiles, git, makeRepository } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { makeFixture } from '../../helpers/workspace/test-workspace.js';

test("a name never means another repository's workspace", () => {
  const carrel = createCarrel();
  const [first, second] = [makeRepository(), makeRepository()];
  carrel.ok(first, 'up', 'fix');
  expect(carrel.error(second, 'down', 'fix')).toMatchObject({ status: 5, code: 'WORKSPACE_NOT_FOUND' });
  expect(carrel.error(tempDir(), 'down', 'fix', '-R', second)).toMatchObject({ status: 5 });
  expect(carrel.json(first, 'ls')).toHaveLength(1);
  // Outside of any repository it can only mean the one there is.
  expect(carrel.ok(tempDir(), 'path', 'fix')).toContain('/fix');
});

test('outside a repository, gc acts on all repositories only with --all', () => {
  const carrel = createCarrel();
  carrel.ok(makeRepository(), 'up', 'a');
  const outside = tempDir();
  expect(carrel.error(outside, 'gc', '--older-than', '0s', '--yes').code).toBe('NOT_A_REPOSITORY');
  expect(carrel.json(outside, 'ls')).toHaveLength(1);
  carrel.ok(outside, 'gc', '--all', '--older-than', '0s', '--yes');
  expect(carrel.json(outside, 'ls')).toHaveLength(0);
});

test('commits that are only checked out, detached, have not landed', () => {
  const fixture = makeFixture();
  commitFiles(fixture.path, { 'new.txt': 'x\n' }, 'work');
  git(fixture.repository, 'checkout', '--quiet', '--detach', 'carrel/a');
  const refusal = fixture.run('down', 'a');
  expect(refusal.status).toBe(3);
  expect(refusal.stderr).toContain('not landed');
});

test('a workspace made from a detached HEAD can go again', () => {
  const repository = makeRepository();
  git(repository, 'checkout', '--quiet', '--detach');
  git(repository, 'branch', '--quiet', '--delete', '--force', 'main');
  const fixture = makeFixture({ repository });
  fixture.ok('down', 'a');
});

test.each(['HEAD', '@'])('the diff of a workspace made from %s shows its commits', base => {
  const fixture = makeFixture({ up: ['--base', base] });
  commitFiles(fixture.path, { 'new.txt': 'x\n' }, 'work');
  expect(fixture.ok('diff', 'a', '--name-only')).toBe('new.txt');
});

test('landing that conflicts says that the changes were committed, and lands nothing', () => {
  const fixture = makeFixture();
  commitFiles(fixture.repository, { 'README.md': 'theirs\n' }, 'theirs');
  const before = git(fixture.repository, 'rev-parse', 'main');
  writeFileSync(join(fixture.path, 'README.md'), 'ours\n');
  const outcome = fixture.run('land', 'a', '-m', 'ours');
  expect(outcome.status).toBe(3);
  expect(outcome.stderr).toMatch(/committed the changes in a as [0-9a-f]{10}/);
  expect(git(fixture.repository, 'rev-parse', 'main')).toBe(before);
});
