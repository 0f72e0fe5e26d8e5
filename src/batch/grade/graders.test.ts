import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  brief,
  COMMAND,
  gradeChanges,
  print,
  RIGHT,
  testsGrader,
} from '../../../test/helpers/batch/grade-changes.js';
import { patchOf } from '../../../test/helpers/batch/plain-environment.js';
import { tempDir } from '../../../test/helpers/temp.js';
import type { Grader } from '../../domain/batch/eval-item.js';

test('a missing program is an error of that grader only', async () => {
  const graders: Grader[] = [{ kind: 'command', run: 'no-such-program' }, COMMAND];
  const graded = await gradeChanges({ changes: RIGHT, graders });
  expect(brief(graded)).toEqual(['error: it exited with status 127', 'true 1']);
  expect(graded.passed).toBe(false);
});

test('a grader that hangs without the changes is an error', async () => {
  const graders: Grader[] = [{ kind: 'command', run: 'exec sleep 60', timeout: '500ms' }];
  const graded = await gradeChanges({ changes: RIGHT, graders });
  expect(brief(graded)).toEqual(['error: it did not finish within 500ms']);
});

const TWO_OF_THREE = print('1..3\nok 1 - a\nok 2 - b\nnot ok 3 - c');

test('named tests must pass, other tests are ignored', async () => {
  const graded = await gradeChanges({
    graders: [
      testsGrader(`${TWO_OF_THREE}; exit 1`, { failToPass: ['a'], passToPass: ['b'] }),
      testsGrader(`${TWO_OF_THREE}; exit 1`, { failToPass: ['a', 'c'], passToPass: ['b'], partial: true }),
      testsGrader(`${TWO_OF_THREE}; exit 1`, { failToPass: ['a'], passToPass: ['gone'], partial: true }),
      testsGrader(`${TWO_OF_THREE}; exit 1`, { partial: true }),
      testsGrader(`${TWO_OF_THREE}; exit 1`),
      testsGrader(print('1..2\nok 1 - a\nok 2 - b # SKIP')),
      testsGrader(print('1..1\nok 1 - b # SKIP')),
    ],
  });
  expect(brief(graded)).toEqual([
    'true 1',
    'false 0.5',
    'false 0',
    `false ${2 / 3}`,
    'false 0',
    'true 1',
    'false 0',
  ]);
  expect(graded.grades[2]?.detail).toBe('1 of 2 tests passed.\ngone: was not run');
});

test('unreadable test output is an error, and results that do not match their plan are ignored', async () => {
  const graded = await gradeChanges({
    graders: [
      testsGrader('echo hello', { failToPass: ['a'] }),
      testsGrader(print('1..2\nok 1 - a'), { failToPass: ['a'] }),
    ],
  });
  expect(brief(graded)).toEqual(['error: no tests were recognised', 'false 0']);
  expect(graded.findings).toEqual(['test results are ignored: 2 tests were planned and 1 reported']);
});

test('without a sandbox a reward file outside the working tree is refused, and the existing file stays', async () => {
  const file = join(tempDir(), "it's", 'reward.txt');
  mkdirSync(dirname(file));
  writeFileSync(file, '1\n');
  const graded = await gradeChanges({ graders: [{ kind: 'reward', run: 'true', file }] });
  expect(brief(graded)).toEqual([
    `error: ${file} is outside the working tree; expected isolation full or docker`,
  ]);
  expect(readFileSync(file, 'utf8')).toBe('1\n');
});

test('checks files and patterns, all or partially', async () => {
  const expect_ = [
    { kind: 'file-exists', path: 'answer.txt' },
    { kind: 'file-contains', path: 'answer.txt', pattern: '^r.ght$' },
    { kind: 'file-not-contains', path: 'gone.txt', text: 'TODO' },
    { kind: 'file-contains', path: 'answer.txt', text: 'wrong' },
    { kind: 'command', run: 'test -s answer.txt' },
  ] as const;
  const graders: Grader[] = [
    { kind: 'files', expect: [...expect_], partial: true },
    { kind: 'files', expect: [...expect_] },
    { kind: 'files', expect: [expect_[0], expect_[1], expect_[4]] },
  ];
  const graded = await gradeChanges({ changes: RIGHT, graders });
  expect(brief(graded)).toEqual(['false 0.6', 'false 0', 'true 1']);
  expect(graded.grades[0]?.detail).toBe(
    'gone.txt does not contain "TODO": no such file of at most 16 MB\nanswer.txt contains "wrong": it is not in the file',
  );
});

test('similarity to a reference counts changed lines', async () => {
  const base = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' };
  const reference = (await patchOf(base, { 'a.txt': 'one\nTWO\n' })).toString();
  const diff = (threshold?: number): Grader => ({ kind: 'diff', reference, threshold });
  const same = await gradeChanges({ base, changes: { 'a.txt': 'one\n  TWO\n' }, graders: [diff()] });
  const more = await gradeChanges({
    base,
    changes: { 'a.txt': 'one\nTWO\n', 'b.txt': 'B\n' },
    graders: [diff(), diff(0.6)],
  });
  const none = await gradeChanges({ base, graders: [diff()] });
  expect([same, more, none].flatMap(brief)).toEqual(['true 1', `false ${4 / 6}`, `true ${4 / 6}`, 'false 0']);
});
