import { chmodSync, chownSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RemovalResult } from '../../../src/domain/report/result.js';
import { listFiles } from '../../helpers/git/round-trip.js';
import { writeFiles } from '../../helpers/repository.js';
import { makeOrdinaryFixture } from '../../helpers/workspace/unprivileged-workspace.js';
import { isRoot, requirePart } from '../../parts/required-part.js';

// As an ordinary user: for root there are no permissions.

test('read-only files and directories are removed, and restored read-only', () => {
  const fixture = makeOrdinaryFixture();
  fixture.write({ 'locked/file.txt': 'x\n', 'a.log': 'log\n' });
  for (const name of ['locked/file.txt', 'README.md', 'a.log']) chmodSync(join(fixture.path, name), 0o444);
  for (const name of ['locked', 'source', '.']) chmodSync(join(fixture.path, name), 0o555);
  const before = listFiles(fixture.path);
  expect(fixture.run('down', 'a').status).toBe(3);
  expect(listFiles(fixture.path)).toEqual(before);
  expect(fixture.run('down', 'a', '--discard-changes').status).toBe(0);
  expect(existsSync(fixture.path)).toBe(false);
  expect(fixture.run('restore', 'a').status).toBe(0);
  expect(listFiles(fixture.path)).toEqual(before);
  // Without a flag too, when nothing is at stake.
  chmodSync(fixture.path, 0o755);
  chmodSync(join(fixture.path, 'locked'), 0o755);
  fixture.remove('locked');
  expect(fixture.run('down', 'a').status).toBe(0);
});

test.each([
  ['a file', 'secret.txt'],
  ['a directory', 'secrets'],
])('%s that can’t be read is named by a snapshot, and kept when the workspace goes', (_, name) => {
  const fixture = makeOrdinaryFixture();
  fixture.write({ 'secret.txt': 'x\n', 'secrets/one.txt': 'x\n' });
  const secret = join(fixture.path, name);
  chmodSync(secret, 0);
  const before = listFiles(fixture.path);
  const { status, stdout } = fixture.run('snapshot', 'a', '--json');
  expect(status).toBe(4);
  expect(JSON.parse(stdout).error).toMatchObject({ code: 'FILE_UNREADABLE', details: { path: secret } });
  expect(fixture.run('down', 'a').status).toBe(3);
  expect(listFiles(fixture.path)).toEqual(before);
  expect(fixture.run('down', 'a', '--discard-changes').status).toBe(0);
  expect(fixture.run('restore', 'a').status).toBe(0);
  expect(readFileSync(join(fixture.path, 'secret.txt'), 'utf8')).toBe('x\n');
  expect(readFileSync(join(fixture.path, 'secrets/one.txt'), 'utf8')).toBe('x\n');
});

test('a directory of another user that can’t be read is left out and named', context => {
  requirePart(context, isRoot, 'root');
  const fixture = makeOrdinaryFixture();
  fixture.write({ 'mine.txt': 'x\n' });
  writeFiles(fixture.path, { 'theirs/file.txt': 'x\n' });
  chownSync(join(fixture.path, 'theirs'), 0, 0);
  chmodSync(join(fixture.path, 'theirs'), 0o700);
  expect(fixture.run('down', 'a').status).toBe(3);
  const removed = fixture.run('down', 'a', '--discard-changes', '--json');
  expect(removed, removed.stderr).toMatchObject({ status: 0 });
  const { warnings } = JSON.parse(removed.stdout) as RemovalResult;
  expect(warnings).toContain("theirs is not in the snapshot: it can't be read (EACCES)");
  expect(existsSync(fixture.path)).toBe(false);
  expect(fixture.run('restore', 'a').status).toBe(0);
  expect(readFileSync(join(fixture.path, 'mine.txt'), 'utf8')).toBe('x\n');
});

test('reports files of another user that cannot be deleted, without blocking', context => {
  requirePart(context, isRoot, 'root');
  const fixture = makeOrdinaryFixture();
  writeFiles(fixture.path, { 'made/by-a-container.log': 'x\n' });
  chownSync(join(fixture.path, 'made'), 0, 0);
  const removed = fixture.run('down', 'a', '--json');
  expect(removed, removed.stderr).toMatchObject({ status: 0 });
  const { warnings, snapshot } = JSON.parse(removed.stdout) as RemovalResult;
  expect(warnings).toEqual([expect.stringContaining('EACCES')]);
  const left = /sudo rm -rf (.*)$/.exec(warnings[0] ?? '')?.[1] as string;
  expect(readFileSync(join(left, 'tree/made/by-a-container.log'), 'utf8')).toBe('x\n');
  expect(existsSync(fixture.path)).toBe(false);
  expect(fixture.run('restore', String(snapshot))).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(join(fixture.path, 'made/by-a-container.log'), 'utf8')).toBe('x\n');
  expect(statSync(join(fixture.path, 'made')).uid).not.toBe(0);
});
