import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RemovalResult } from '../../../src/domain/report/result.js';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import { sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { writeFiles } from '../../helpers/repository.js';
import { expectRefused } from '../../helpers/workspace/removal.js';
import { makeFixture } from '../../helpers/workspace/test-workspace.js';

const JUNK = { 'is junk': 'junk\n', 'is empty': '', 'is cut off': null } as const;
const KINDS = Object.keys(JUNK) as (keyof typeof JUNK)[];

/** A workspace with work of every kind, and an index that git cannot read. */
function makeFixtureWith(kind: keyof typeof JUNK) {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'README.md': 'edited\n', 'new.txt': 'new\n', 'a.log': 'ignored\n' });
  rmSync(join(fixture.path, 'source/one.txt'));
  const index = fixture.git('rev-parse', '--path-format=absolute', '--git-path', 'index').trim();
  writeFileSync(index, JUNK[kind] ?? readFileSync(index).subarray(0, 100));
  return fixture;
}

test.each(sampleOf(KINDS, 'is junk'))('files are held and come back when the index %s', kind => {
  const fixture = makeFixtureWith(kind);
  const taken = fixture.carrel.json<Snapshot>(fixture.repository, 'snapshot', 'a');
  expect(taken.files).toBe(4);
  expect(taken.omitted).toMatchObject([{ path: '.git/index' }]);
  const { details } = expectRefused(fixture, []);
  expect(JSON.stringify(details)).toContain('git cannot read the index');
  const removed = fixture.carrel.json<RemovalResult>(fixture.repository, 'down', 'a', '--discard-changes');
  expect(removed.omitted).toMatchObject([{ path: '.git/index' }]);
  fixture.ok('restore', 'a');
  expect(fixture.git('status', '--porcelain')).toBe(' M README.md\n D source/one.txt\n?? new.txt');
  expect(readFileSync(join(fixture.path, 'a.log'), 'utf8')).toBe('ignored\n');
});

thoroughTest('a workspace whose index cannot be read is shown and compared', () => {
  const fixture = makeFixtureWith('is empty');
  expect(fixture.ok('diff', 'a')).toContain('+edited');
  expect(fixture.ok('show', 'a')).toContain('README.md');
  expect(fixture.ok('ls')).toContain('ready');
});
