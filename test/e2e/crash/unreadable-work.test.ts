import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DiffReport } from '../../../src/domain/report/diff-report.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { makeOrdinaryFixture, type OrdinaryFixture } from '../../helpers/workspace/unprivileged-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// As an ordinary user: root can read everything.

/** Work of every kind that can't be read or can't be in a patch, beside a file that can. */
function makeMess({ path, write }: OrdinaryFixture): void {
  write({
    'new.txt': 'new\n',
    'secret.txt': 'x\n',
    'secrets/one.txt': 'x\n',
    'unsearchable/two.txt': 'x\n',
    'node_modules/data/three.txt': 'x\n',
  });
  execFileSync('mkfifo', [join(path, 'pipe')]);
  const odd = Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff])]);
  writeFileSync(odd, 'not UTF-8\n');
  for (const name of ['secret.txt', 'secrets', 'README.md', 'node_modules/data'])
    chmodSync(join(path, name), 0);
  for (const name of ['unsearchable', 'source']) chmodSync(join(path, name), 0o600);
}

function expectRest(fixture: OrdinaryFixture, skipped: readonly string[]): void {
  const { status, stdout, stderr } = fixture.run('diff', 'a', '--name-only', '--json');
  expect(status, stderr).toBe(0);
  const report: DiffReport = JSON.parse(stdout);
  expect(report.skipped.toSorted()).toEqual(skipped.toSorted());
  expect(report.encoding).toBe('base64');
  expect(Buffer.from(report.diff, 'base64').toString('latin1')).toBe('new.txt\n\u00ff\n');
  const stat = fixture.run('diff', 'a', '--stat');
  expect(stat.stdout).toContain('2 files changed, 2 insertions(+)');
  expect(stat.stderr).toContain('warning: left out of the diff: secrets\n');
}

const UNREADABLE = ['README.md', 'secret.txt', 'secrets', 'source', 'unsearchable'];

test('a diff leaves out what can’t be read, and shows the rest', () => {
  const fixture = makeOrdinaryFixture();
  makeMess(fixture);
  expectRest(fixture, [...UNREADABLE, 'pipe']);
});

thoroughTest('the same in a sandbox and in a copy', context => {
  requireBubblewrap(context);
  const sandboxed = makeOrdinaryFixture({ up: ['--isolation', 'full', '--strict'] });
  makeMess(sandboxed);
  expectRest(sandboxed, [...UNREADABLE, 'pipe']);
  const copied = makeOrdinaryFixture({ up: ['--copy', '.'] });
  makeMess(copied);
  // Nothing is ignored there.
  expectRest(copied, [...UNREADABLE, 'node_modules/data']);
});

thoroughTest('an ignored file that runs automatically is listed although it can’t be read', () => {
  const fixture = makeOrdinaryFixture();
  const hidden = '.claude/settings.local.json';
  fixture.write({ '.vscode/tasks.json': '{}\n', '.claude/.gitignore': '*\n', [hidden]: '{}\n' });
  chmodSync(join(fixture.path, hidden), 0);
  for (const command of ['show', 'diff']) {
    const { status, stdout } = fixture.run(command, 'a', '--json');
    expect(status, stdout).toBe(0);
    const { autorunFiles } = JSON.parse(stdout) as Pick<DiffReport, 'autorunFiles'>;
    expect(autorunFiles.map(({ path }) => path)).toEqual(['.vscode/tasks.json', hidden]);
  }
});

thoroughTest('landing says which directory it left out, and stops at a file', () => {
  const fixture = makeOrdinaryFixture();
  fixture.write({ 'new.txt': 'new\n', 'secrets/one.txt': 'x\n' });
  chmodSync(join(fixture.path, 'secrets'), 0);
  const landed = fixture.run('land', 'a', '-m', 'work', '--keep');
  expect(landed, landed.stderr).toMatchObject({ status: 0 });
  expect(landed.stderr).toContain("left out of the commit: secrets, which can't be read\n");
  fixture.write({ 'later.txt': 'later\n', 'secret.txt': 'x\n' });
  chmodSync(join(fixture.path, 'secret.txt'), 0);
  const refused = fixture.run('land', 'a', '-m', 'more');
  expect(refused).toMatchObject({ status: 3 });
  expect(refused.stderr).toContain("left out of the commit: secret.txt, which can't be read\n");
  expect(refused.stderr).toContain('a has uncommitted changes in secret.txt');
});
