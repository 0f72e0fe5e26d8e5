import { chmodSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RemovalResult } from '../../../src/domain/report/result.js';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import type { WorkspaceReport } from '../../../src/operations/workspace/show.js';
import { makeFixture } from '../../helpers/workspace/test-workspace.js';
import { makeOrdinaryFixture } from '../../helpers/workspace/unprivileged-workspace.js';

test('an orphan commit is named in its own row, and every command still works', () => {
  const fixture = makeFixture();
  fixture.ok('up', 'b');
  const orphan = fixture.git('commit-tree', '-m', 'alone', 'HEAD^{tree}');
  fixture.git('reset', '--quiet', '--soft', orphan);
  const rows = fixture.carrel.json<WorkspaceDetails[]>(fixture.repository, 'ls');
  expect(rows.map(({ name, warnings, changes }) => ({ name, warnings, isRead: changes !== null }))).toEqual([
    { name: 'a', warnings: ['its history shares no commit with main'], isRead: true },
    { name: 'b', warnings: [], isRead: true },
  ]);
  expect(fixture.carrel.json<WorkspaceReport>(fixture.repository, 'show', 'a')).toMatchObject({
    ahead: 1,
    behind: 1,
    conflictsWithBase: null,
    risks: [{ kind: 'commits' }],
  });
  fixture.ok('diff', 'a', '--stat');
  fixture.ok('snapshot', 'a');
  expect(fixture.carrel.error(fixture.repository, 'land', 'a').code).toBe('INVALID_INPUT');
  fixture.ok('down', 'a', '--discard-commits');
  fixture.ok('restore', 'a');
  expect(fixture.git('rev-parse', 'HEAD')).toBe(orphan);
});

test('a sparse file of a terabyte is left out of a look, and refused by a snapshot', () => {
  const fixture = makeFixture();
  writeFileSync(join(fixture.path, 'small.txt'), 'small\n');
  for (const name of ['README.md', 'sparse']) {
    writeFileSync(join(fixture.path, name), 'x');
    truncateSync(join(fixture.path, name), 2 ** 40);
  }
  expect(fixture.carrel.json<WorkspaceDetails[]>(fixture.repository, 'ls')).toMatchObject([
    { changes: { unstaged: 1, untracked: 2 } },
  ]);
  const diff = fixture.run('diff', 'a', '--stat');
  expect(diff.stdout).toContain('small.txt | 1 +');
  expect(diff.stderr).toContain(
    'warning: left out of the diff: README.md\nwarning: left out of the diff: sparse',
  );
  expect(fixture.carrel.error(fixture.repository, 'snapshot', 'a')).toMatchObject({
    code: 'SNAPSHOT_TOO_LARGE',
    details: { bytes: 2 ** 40 },
  });
  expect(JSON.stringify(fixture.carrel.error(fixture.repository, 'down', 'a').details)).toContain(
    'files too large for a snapshot, which would be lost: README.md, sparse',
  );
  expect(existsSync(fixture.path)).toBe(true);
  const removed = fixture.carrel.json<RemovalResult>(fixture.repository, 'down', 'a', '--discard-changes');
  expect(removed.warnings.toSorted()).toEqual([
    'README.md is not in the snapshot: it is too large for a snapshot',
    'sparse is not in the snapshot: it is too large for a snapshot',
  ]);
  fixture.ok('restore', 'a');
  expect(readFileSync(join(fixture.path, 'small.txt'), 'utf8')).toBe('small\n');
  expect(readFileSync(join(fixture.path, 'README.md'), 'utf8')).toBe('hello\n');
});

test('an unreadable workspace affects one row, and is removed when discarded', () => {
  const fixture = makeOrdinaryFixture();
  fixture.run('up', 'b');
  fixture.write({ 'secret.txt': 'one\n', 'secrets/two.txt': 'two\n' });
  for (const name of ['secret.txt', 'secrets']) chmodSync(join(fixture.path, name), 0);
  const rows = JSON.parse(fixture.run('ls', '--json').stdout) as WorkspaceDetails[];
  expect(rows.map(({ name, changes }) => [name, changes !== null])).toEqual([
    ['a', true],
    ['b', true],
  ]);
  const isReported = ({ warnings }: WorkspaceDetails) =>
    /could not read all files.*secrets/.test(warnings.join());
  expect(rows.map(isReported)).toEqual([true, false]);
  const { risks } = JSON.parse(fixture.run('show', 'a', '--json').stdout) as WorkspaceReport;
  expect(risks).toMatchObject([{ kind: 'unreadable', flag: '--discard-changes' }]);
  expect(fixture.run('down', 'a').status).toBe(3);
  expect(fixture.run('down', 'a', '--discard-changes')).toMatchObject({ status: 0 });
  expect(existsSync(fixture.path)).toBe(false);
  expect(fixture.run('restore', 'a')).toMatchObject({ status: 0 });
  expect(readFileSync(join(fixture.path, 'secret.txt'), 'utf8')).toBe('one\n');
  expect(readFileSync(join(fixture.path, 'secrets/two.txt'), 'utf8')).toBe('two\n');
});

test('a workspace with an unreadable directory is reported in its row, and is removed when discarded', () => {
  const fixture = makeOrdinaryFixture();
  fixture.run('up', 'b');
  fixture.write({ 'new.txt': 'new\n' });
  chmodSync(fixture.path, 0);
  const rows = JSON.parse(fixture.run('ls', '--json').stdout) as WorkspaceDetails[];
  const isTold = ({ warnings }: WorkspaceDetails) => warnings.join().includes(`cannot read ${fixture.path}`);
  expect(rows.map(row => [row.name, isTold(row)])).toEqual([
    ['a', true],
    ['b', false],
  ]);
  const { risks } = JSON.parse(fixture.run('show', 'a', '--json').stdout) as WorkspaceReport;
  expect(risks).toMatchObject([{ kind: 'unreadable' }]);
  expect(fixture.run('down', 'a').status).toBe(3);
  expect(fixture.run('down', 'a', '--discard-changes')).toMatchObject({ status: 0 });
  expect(fixture.run('restore', 'a')).toMatchObject({ status: 0 });
  expect(readFileSync(join(fixture.path, 'new.txt'), 'utf8')).toBe('new\n');
});
