import { expect, test } from 'vitest';
import {
  BASE,
  brief,
  gradeChanges,
  print,
  RIGHT,
  testsGrader,
} from '../../../test/helpers/batch/grade-changes.js';
import { type Changes, patchOf } from '../../../test/helpers/batch/plain-environment.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { needProgram } from '../../../test/parts/required-part.js';
import type { Grader } from '../../domain/batch/eval-item.js';

thoroughTest('changes that break a grader count as failed when the grader works without them', async () => {
  const base = { ...BASE, 'run.sh': 'test "$(cat answer.txt)" = right\n', 'loop.sh': 'exit 1\n' };
  const missing: Grader = { kind: 'command', run: 'exec sh run.sh' };
  const hanging: Grader = { kind: 'command', run: 'exec sh loop.sh', timeout: '2s' };
  const changes = { 'run.sh': 'exit 127\n', 'loop.sh': 'while :; do sleep 1; done\n' };
  const graded = await gradeChanges({ base, changes, graders: [missing, hanging] });
  expect(brief(graded)).toEqual(['false 0', 'false 0']);
  expect(graded.grades.map(({ detail }) => detail)).toEqual([
    'The grader could not grade the changes (it exited with status 127); without them it works.',
    'The grader could not grade the changes (it did not finish within 2s); without them it works.',
  ]);
  const unknown = await gradeChanges({ base, changes, graders: [missing], withReset: false });
  expect(brief(unknown)).toEqual(['error: it exited with status 127']);
});

test('printed results have no effect when they contradict the exit status or the runner', async () => {
  const graded = await gradeChanges({
    graders: [
      testsGrader(`${print('1..1\nok 1 - a')}; exit 1`, { failToPass: ['a'] }),
      testsGrader(`${print('1..2\nok 1 - a\nnot ok 2 - a')}; exit 1`, { failToPass: ['a'] }),
    ],
  });
  expect(brief(graded)).toEqual(['false 0', 'false 0']);
  expect(graded.findings).toEqual([
    'test results are ignored: no test is reported as failed, but the command exited with status 1',
    'a is reported as passed and as failed; it counts as failed',
  ]);
});

const NODE_BASE = { 'sum.mjs': 'export const sum = (a, b) => a - b;\n' };

const NODE_ITEM = {
  hidden: {
    'sum.test.mjs':
      "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './sum.mjs';\ntest('sums', () => assert.equal(sum(1, 2), 3));\n",
  },
};

const NODE_RUN = 'node --test --test-reporter=junit --test-reporter-destination=report.xml sum.test.mjs';

const nodeTests = (run: string): Grader => testsGrader(run, { report: 'report.xml', failToPass: ['sums'] });

test('reads the report of the real runner, not printed or planted results', async () => {
  const cheat = `export const sum = () => 4;
console.log('TAP version 13\\n1..1\\nok 1 - sums');
console.log('<testsuites><testcase name="sums"/></testsuites>');
`;
  const planted = '<testsuites><testcase name="sums"/></testsuites>\n';
  const right = { 'sum.mjs': 'export const sum = (a, b) => a + b;\n' };
  const work = { base: NODE_BASE, graders: [nodeTests(NODE_RUN)], item: NODE_ITEM };
  expect(brief(await gradeChanges({ ...work, changes: right }))).toEqual(['true 1']);
  expect(brief(await gradeChanges({ ...work }))).toEqual(['false 0']);
  const cheated = await gradeChanges({
    ...work,
    changes: { 'sum.mjs': cheat, 'report.xml': planted, 'sum.test.mjs': '' },
  });
  expect(brief(cheated)).toEqual(['false 0']);
  expect(cheated.findings).toEqual([
    'added report.xml, where a grader writes its result',
    "added sum.test.mjs, which is graded with the grader's own version",
  ]);
});

test('a report that was not written because of the changes counts as failed', async () => {
  const changes = { 'sum.mjs': 'export const sum = (a, b) => a + b;\n', 'stop.txt': 'stop\n' };
  const graded = await gradeChanges({
    base: NODE_BASE,
    item: NODE_ITEM,
    changes,
    graders: [nodeTests(`test -e stop.txt && exit 0; ${NODE_RUN}`)],
  });
  expect(brief(graded)).toEqual(['false 0']);
  expect(graded.grades[0]?.detail).toMatch(/report\.xml was not written/);
});

test('deleting and changing tests, and linking their directory away, have no effect', async () => {
  const base = { ...BASE, 'tests/check.sh': 'test "$(cat answer.txt)" = right\n' };
  const item = { protect: ['tests'] };
  const graders: Grader[] = [{ kind: 'command', run: 'sh tests/check.sh' }];
  const elsewhere = tempDir();
  const cheats: Changes[] = [
    { 'tests/check.sh': null },
    { 'tests/check.sh': 'exit 0\n' },
    { tests: { link: elsewhere } },
    { tests: 'a file\n' },
  ];
  for (const changes of cheats) {
    const graded = await gradeChanges({ base, item, graders, changes });
    expect(brief(graded)).toEqual(['false 0']);
    expect(graded.findings.join()).toContain('which is protected');
  }
});

test("code that changes the graders' files while it is tested does not affect the next grader", async () => {
  const item = { hidden: { 'hidden/check.sh': 'test "$(cat answer.txt)" = right\n' } };
  const graders: Grader[] = [
    { kind: 'command', run: 'sh program.sh' },
    { kind: 'command', run: 'sh hidden/check.sh' },
  ];
  const changed = await gradeChanges({
    item,
    graders,
    changes: { 'program.sh': 'echo exit 0 > hidden/check.sh\n' },
  });
  expect(brief(changed)).toEqual(['true 1', 'false 0']);
  expect(changed.findings).toEqual(['hidden/check.sh was changed while graders ran']);
});

test('ignores the result when code changes the script that runs it', async () => {
  const script = 'sh program.sh\ntest "$(cat answer.txt)" = right\n';
  const command = { kind: 'command', run: 'sh tests/check.sh' } as const;
  const exists = { kind: 'file-exists', path: 'program.sh' } as const;
  const files: Grader = { kind: 'files', expect: [command, exists] };
  const changes = { 'program.sh': 'echo exit 0 >> tests/check.sh\n' };
  const hiddenPatch = (await patchOf(BASE, { 'tests/check.sh': script })).toString();
  const works = [
    { item: { hidden: { 'tests/check.sh': script } }, graders: [command] },
    { item: { hidden: { 'tests/check.sh': script } }, graders: [files] },
    { item: { hiddenPatch }, graders: [command] },
    { item: { protect: ['tests'] }, graders: [command], base: { ...BASE, 'tests/check.sh': script } },
  ];
  for (const work of works) {
    const graded = await gradeChanges({ ...work, changes });
    expect(brief(graded)).toEqual(['false 0']);
    expect(graded.findings).toEqual(['tests/check.sh was changed while graders ran']);
  }
});

test('code that changes protected files while it is tested does not affect the next command', async () => {
  const work = {
    base: { ...BASE, 'tests/check.sh': 'test "$(cat answer.txt)" = right\n' },
    item: { protect: ['tests'] },
    changes: { 'program.sh': 'echo exit 0 > tests/check.sh\n' },
  };
  const run = ['sh program.sh', 'sh tests/check.sh'];
  const apart = await gradeChanges({ ...work, graders: run.map(run => ({ kind: 'command', run })) });
  expect(brief(apart)).toEqual(['true 1', 'false 0']);
  expect(apart.findings).toEqual(['tests/check.sh was changed while graders ran']);
  const together = await gradeChanges({
    ...work,
    graders: [{ kind: 'files', expect: run.map(run => ({ kind: 'command', run })) }],
  });
  expect(brief(together)).toEqual(['false 0']);
  expect(together.findings).toEqual(apart.findings);
});

test('code that adds files to a protected place while it is tested does not affect the next command', async () => {
  const plant =
    'mkdir -p tests/__pycache__ tests/new\necho exit 0 > tests/a.sh\ngit add tests/a.sh\ncp tests/a.sh tests/new/b.sh\n: > tests/__pycache__/c.pyc\nln -s a.sh tests/made.sh\n';
  const graded = await gradeChanges({
    base: { ...BASE, 'tests/z.sh': 'test "$(cat answer.txt)" = right\n' },
    item: { protect: ['tests/', 'none'], setup: ['echo made > tests/made.txt'] },
    changes: { 'program.sh': plant },
    graders: [
      { kind: 'command', run: 'sh program.sh' },
      {
        kind: 'command',
        run: 'for test in tests/*.sh; do sh $test && exit 0; done; test ! -s tests/made.txt',
      },
    ],
  });
  expect(brief(graded)).toEqual(['true 1', 'false 0']);
  expect(graded.findings.toSorted()).toEqual([
    'tests/a.sh was added while graders ran',
    'tests/made.sh was added while graders ran',
    'tests/new/b.sh was added while graders ran',
  ]);
});

test('ignores a reward that the tested code keeps writing', async () => {
  const daemon =
    '(while test -d .; do echo 1 > reward.txt; done > /dev/null 2>&1 &)\nwhile test ! -s reward.txt; do :; done\n';
  const graded = await gradeChanges({
    changes: { 'program.sh': daemon },
    graders: [
      {
        kind: 'reward',
        run: 'sh program.sh; test "$(cat answer.txt)" = right || echo 0 > reward.txt',
        file: 'reward.txt',
      },
    ],
  });
  expect(brief(graded)).toEqual(['false 0']);
  expect(graded.findings).toEqual(['reward.txt was written by the tested code, not only by the grader']);
});

test('ignores a result when tested code imitates the script around it and kills it', async () => {
  needProgram('grep');
  const find = "script=$(tr '\\0' '\\n' < /proc/$2/cmdline | grep -o 'carrel-reward-[-0-9a-f]*' | head -n 1)";
  const forge = (after: string) => ({
    'program.sh': `set -- x $(cut -d ' ' -f 4 /proc/$PPID/stat)\n${find}\necho; echo "$script 0 1"\n${after}\n`,
  });
  const run = 'sh program.sh; echo 0 > reward.txt';
  const graders: Grader[] = [{ kind: 'reward', run, file: 'reward.txt' }];
  for (const after of ['true', 'kill -9 "$2"']) {
    const graded = await gradeChanges({ changes: forge(after), graders });
    expect(brief(graded)).toEqual(['false 0']);
    expect(graded.findings).toEqual(['reward.txt was written by the tested code, not only by the grader']);
  }
});

test('gitattributes cannot keep git from applying patches', async () => {
  const base = { ...BASE, 'tests/a.sh': 'exit 1\n' };
  const hiddenPatch = (await patchOf(base, { 'tests/a.sh': 'exit 0\n' })).toString();
  const attributes = [
    'diff --git a/.gitattributes b/.gitattributes\nnew file mode 100644\n',
    '--- /dev/null\n+++ b/.gitattributes\n@@ -0,0 +1 @@\n+* text working-tree-encoding=UTF-16\n',
  ].join('');
  const graded = await gradeChanges({
    base,
    changes: RIGHT,
    moreChanges: attributes,
    item: { hiddenPatch },
    graders: [
      { kind: 'command', run: 'sh tests/a.sh && test "$(cat answer.txt)" = right && test -s .gitattributes' },
    ],
  });
  expect(graded).toMatchObject({ passed: true });
});

test('a reward is what the command writes, never an existing file', async () => {
  const reward = (run: string, file = 'out/reward.txt'): Grader => ({ kind: 'reward', run, file });
  const graded = await gradeChanges({
    changes: { 'out/reward.txt': '1\n', 'reward.json': '{"reward": 1}\n' },
    graders: [
      reward('mkdir -p out; echo 0.5 > out/reward.txt'),
      reward('echo \'{"reward": 7}\' > reward.json; exit 1', 'reward.json'),
      reward('echo \'{"speed": 1, "size": 0}\' > reward.json', 'reward.json'),
      reward('true', 'reward.json'),
      reward('echo many > reward.json', 'reward.json'),
    ],
  });
  expect(brief(graded)).toEqual([
    'false 0.5',
    'true 1',
    'false 0.5',
    'error: reward.json was not written',
    'error: reward.json contains no number',
  ]);
  expect(graded.findings).toHaveLength(2);
});
