import { chmodSync, chownSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RemovalResult } from '../../src/domain/result.js';
import { makeOrdinaryDesk } from '../helpers/ordinary-desk.js';
import { writeFiles } from '../helpers/repository.js';
import { isRoot, requirePart } from '../helpers/required-part.js';
import { listFiles } from '../helpers/round-trip.js';

// As an ordinary user: for root there are no permissions.

test('read-only files and directories go, and come back read-only', () => {
  const desk = makeOrdinaryDesk();
  desk.write({ 'locked/file.txt': 'x\n', 'a.log': 'log\n' });
  for (const name of ['locked/file.txt', 'README.md', 'a.log']) chmodSync(join(desk.path, name), 0o444);
  for (const name of ['locked', 'source', '.']) chmodSync(join(desk.path, name), 0o555);
  const before = listFiles(desk.path);
  expect(desk.run('down', 'a').status).toBe(3);
  expect(listFiles(desk.path)).toEqual(before);
  expect(desk.run('down', 'a', '--discard-changes').status).toBe(0);
  expect(existsSync(desk.path)).toBe(false);
  expect(desk.run('restore', 'a').status).toBe(0);
  expect(listFiles(desk.path)).toEqual(before);
  // Without a flag too, when nothing is at stake.
  chmodSync(desk.path, 0o755);
  chmodSync(join(desk.path, 'locked'), 0o755);
  desk.remove('locked');
  expect(desk.run('down', 'a').status).toBe(0);
});

test.each([
  ['a file', 'secret.txt'],
  ['a directory', 'secrets'],
])('%s that can’t be read is named, and the workspace stays whole and in place', (_, name) => {
  const desk = makeOrdinaryDesk();
  desk.write({ 'secret.txt': 'x\n', 'secrets/one.txt': 'x\n' });
  const secret = join(desk.path, name);
  chmodSync(secret, 0);
  const before = listFiles(desk.path);
  const { status, stdout } = desk.run('down', 'a', '--discard-changes', '--json');
  expect(status).toBe(4);
  expect(JSON.parse(stdout).error).toMatchObject({ code: 'FILE_UNREADABLE', details: { path: secret } });
  expect(listFiles(desk.path)).toEqual(before);
  chmodSync(secret, 0o700);
  expect(desk.run('down', 'a', '--discard-changes').status).toBe(0);
  expect(desk.run('restore', 'a').status).toBe(0);
  expect(readFileSync(join(desk.path, 'secret.txt'), 'utf8')).toBe('x\n');
});

test('files of another user that can’t be deleted are told of, and nothing stands still for them', context => {
  requirePart(context, isRoot, 'root, to make files of another user');
  const desk = makeOrdinaryDesk();
  writeFiles(desk.path, { 'made/by-a-container.log': 'x\n' });
  chownSync(join(desk.path, 'made'), 0, 0);
  const removed = desk.run('down', 'a', '--json');
  expect(removed, removed.stderr).toMatchObject({ status: 0 });
  const { warnings, snapshot } = JSON.parse(removed.stdout) as RemovalResult;
  expect(warnings).toEqual([expect.stringContaining('EACCES')]);
  const left = /sudo rm -rf (.*)$/.exec(warnings[0] ?? '')?.[1] as string;
  expect(readFileSync(join(left, 'tree/made/by-a-container.log'), 'utf8')).toBe('x\n');
  expect(existsSync(desk.path)).toBe(false);
  expect(desk.run('restore', String(snapshot))).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(join(desk.path, 'made/by-a-container.log'), 'utf8')).toBe('x\n');
  expect(statSync(join(desk.path, 'made')).uid).not.toBe(0);
});
