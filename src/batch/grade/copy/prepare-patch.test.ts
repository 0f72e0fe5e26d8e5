import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Changes, patchOf, plainEnvironment } from '../../../../test/helpers/batch/plain-environment.js';
import { gitEnv } from '../../../../test/helpers/repository.js';
import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { preparePatch } from './prepare-patch.js';

const BASE = {
  'src/a.js': 'one\n',
  'tests/a.test.js': 'first\nsecond\nthird\nfourth\n',
  'tests/b.test.js': 'b\n',
  'a file': 'x\n',
};

function itemWith(extra: Partial<EvalItem>): EvalItem {
  return {
    id: 'task',
    description: 'Do it.',
    base: { kind: 'files', files: BASE },
    graders: [{ kind: 'command', run: 'true' }],
    ...extra,
  };
}

async function prepare(extra: Partial<EvalItem>, changes: Changes) {
  const { sections, findings } = preparePatch(itemWith(extra), await patchOf(BASE, changes));
  return { kept: sections.map(({ action, to }) => `${action} ${to}`), findings, sections };
}

test('changes to hidden, protected and result files are left out and reported', async () => {
  const { kept, findings } = await prepare(
    {
      hidden: { 'tests/a.test.js': 'ours' },
      hiddenPatch: 'diff --git a/new.test.js b/new.test.js\nnew file mode 100644\n',
      protect: ['tests/fixtures/', 'package.json'],
      graders: [
        { kind: 'tests', run: 'x', report: 'out/report.xml' },
        { kind: 'reward', run: 'x', file: 'reward.txt' },
      ],
    },
    {
      'src/a.js': 'two\n',
      'tests/a.test.js': 'nothing\n',
      'new.test.js': 'fake\n',
      'tests/fixtures/b.json': '{}\n',
      'package.json': '{}\n',
      'out/report.xml': '<testsuite/>\n',
      'reward.txt': '1\n',
      'package.json.bak': 'mine\n',
    },
  );
  expect(kept).toEqual(['create package.json.bak', 'change src/a.js']);
  expect(findings).toEqual([
    "added new.test.js, which is graded with the grader's own version",
    'added out/report.xml, where a grader writes its result',
    'added package.json, which is protected',
    'added reward.txt, where a grader writes its result',
    "changed tests/a.test.js, which is graded with the grader's own version",
    'added tests/fixtures/b.json, which is protected',
  ]);
});

test('a link in the place of a directory above a hidden file is left out', async () => {
  const { kept, findings } = await prepare(
    { hidden: { 'tests/a.test.js': 'ours' } },
    { tests: { link: '/elsewhere' } },
  );
  expect(kept).toEqual(['delete tests/b.test.js']);
  expect(findings).toEqual([
    "added tests, which is graded with the grader's own version",
    "deleted tests/a.test.js, which is graded with the grader's own version",
    'deleted tests/b.test.js, which looks like a test',
  ]);
});

test('a protected file that was moved stays and is copied to the new path', async () => {
  const { kept, sections, findings } = await prepare(
    { protect: ['tests'] },
    { 'tests/a.test.js': null, 'src/moved.js': 'first\nsecond\nthird\nFOURTH\n' },
  );
  expect(kept).toEqual(['copy src/moved.js']);
  expect(findings).toEqual(['moved tests/a.test.js to src/moved.js, which is protected']);
  const { workingDirectory } = plainEnvironment(BASE);
  const input = Buffer.from(sections.map(({ text }) => text).join(''), 'latin1');
  execFileSync('git', ['apply', '-'], { cwd: workingDirectory, env: gitEnv(), input });
  expect(readdirSync(`${workingDirectory}/src`)).toEqual(['a.js', 'moved.js']);
  expect(readdirSync(`${workingDirectory}/tests`)).toEqual(['a.test.js', 'b.test.js']);
});

test('names with spaces, quotes, line breaks and bytes that are not UTF-8 are read as git writes them', async () => {
  const names = ['a b/c d.txt', 'quo"te.txt', 'new\nline.txt', 'ä.txt', 'back\\slash.txt', 'a b c.txt'];
  const changes = Object.fromEntries([...names, 'a file'].map(name => [name, 'y\n']));
  const patch = await patchOf(BASE, changes);
  const all = preparePatch(itemWith({}), patch);
  expect(all.sections.map(({ to }) => Buffer.from(to, 'latin1').toString()).sort()).toEqual(
    [...names, 'a file'].sort(),
  );
  const protect = [...names, 'a file'];
  expect(preparePatch(itemWith({ protect }), patch).sections).toEqual([]);
});

test('an empty file and a changed mode have no hunks and are still read', () => {
  const patch = [
    'diff --git a/tests/x y.sh b/tests/x y.sh\nold mode 100644\nnew mode 100755\n',
    'diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n',
  ].join('');
  const { sections, findings } = preparePatch(itemWith({ protect: ['tests'] }), Buffer.from(patch));
  expect(sections.map(({ to, action }) => [to, action])).toEqual([['empty', 'create']]);
  expect(findings).toEqual(['changed tests/x y.sh, which is protected']);
});

test('content cannot look like changes to another file', async () => {
  const content = 'x\rdiff --git a/tests/a.test.js b/tests/a.test.js\r--- a/y\n';
  const { kept, findings } = await prepare({ protect: ['tests'] }, { 'src/a.js': content });
  expect(kept).toEqual(['change src/a.js']);
  expect(findings).toEqual([]);
});

test('reports files that configure test runners', async () => {
  const { kept, findings } = await prepare({}, { 'conftest.py': 'import pytest\n' });
  expect(kept).toEqual(['create conftest.py']);
  expect(findings).toEqual(['added conftest.py, which can change how tests run']);
});

test('a plain hidden patch covers its files like a git patch', async () => {
  const hiddenPatch = [
    '--- a/tests/a.test.js\t2020-01-01\n+++ b/tests/a.test.js\n@@ -1 +1 @@\n-first\n+1st\n',
    '--- /dev/null\n+++ b/tests/c.test.js\n@@ -0,0 +1 @@\n+new\n',
  ].join('');
  const { kept } = await prepare(
    { hiddenPatch },
    { 'tests/a.test.js': '', 'tests/b.test.js': '', 'tests/c.test.js': '' },
  );
  expect(kept).toEqual(['change tests/b.test.js']);
});
